/**
 * What the tests have found of each program, kept beside them: each test compares it with what it
 * found, and writes it with `UPDATE_PROGRAMS=1`. A part of `docs/smtp.md` is made from it.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from '../../src/contract/reference/markdown.ts'
import { parts } from './program-mails.ts'

export const columns = [
  ...parts,
  ...(['charset', 'refused From', 'suppressed recipient', 'STARTTLS', 'TLS'] as const),
] as const
export type Column = (typeof columns)[number]

/** In the order of the page. */
export const titles = {
  nodemailer: 'nodemailer',
  smtplib: 'Python smtplib',
  django: 'Django',
  phpmailer: 'PHPMailer',
  rails: 'Rails (mail gem)',
  go: 'Go net/smtp',
  msmtp: 'msmtp',
  swaks: 'swaks',
  curl: 'curl',
  postfix: 'Postfix, smarthost client',
} as const
export type ProgramName = keyof typeof titles

/** By program: the columns that were compared. */
export type ProgramResults = Partial<Record<ProgramName, Column[]>>

const file = join(import.meta.dirname, 'program-results.json')
export const pageFile = join(import.meta.dirname, '../../docs/smtp.md')

export const programResults = (): ProgramResults =>
  JSON.parse(readFileSync(file, 'utf8')) as ProgramResults

/** Holds what a test found to what is kept, or keeps it. */
export function keepProgramResult(program: ProgramName, compared: ReadonlySet<Column>): void {
  const result = columns.filter((column) => compared.has(column))
  const results = programResults()
  if (process.env['UPDATE_PROGRAMS'] !== '1') {
    assert.deepEqual(results[program], result, `UPDATE_PROGRAMS=1 writes ${program} again`)
    return
  }
  results[program] = result
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  const page = readFileSync(pageFile, 'utf8')
  writeFileSync(
    pageFile,
    page.replace(/## Programs\n[\s\S]*?(?=## )/, () => `${programsPart(results)}\n`),
  )
}

/** The part of `docs/smtp.md` with a row for each program. */
export const programsPart = (results: ProgramResults): string => `## Programs

Tests hand mail in by each of these programs, and write this table.

- **✓** below a part: it arrived as it was written. Nested parts are text beside HTML with its image, and a file beside both. The charset is ISO-8859-1; the others are in UTF-8.
- **✓** below a refusal: the program shows the reason to its user. Postfix returns the mail to its sender with the reason.
- **✓** below STARTTLS and TLS: the mail was handed in through it, on ports that take no password without.
- **–**: the program does not do that, or what writes its mails in our tests does not.
- **not played**: the program is not on the machine that plays the tests. There, \`sh test/submission/fetch-programs.sh\` unpacks those of Debian, and \`sh test/world/fetch-servers.sh\` unpacks Postfix.

${table(['Program', ...columns], rows(results))}
`

const rows = (results: ProgramResults): string[][] =>
  Object.entries(titles).map(([name, title]) => {
    const result = results[name as ProgramName]
    const cellOf = (column: Column): string => (result?.includes(column) ? '✓' : '–')
    return [title, ...columns.map((column) => (result ? cellOf(column) : 'not played'))]
  })
