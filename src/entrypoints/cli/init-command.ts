/** `facteur init`: writes the `.env` that compose.yaml reads, and never replaces its secrets. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineCommand } from './command.ts'
import { CommandRefusal } from './refusal.ts'
import { printed, type Result } from './result.ts'
import { readText } from './values.ts'

export const initCommand = defineCommand({
  name: 'init',
  summary: 'Write a .env with a master key, for compose.yaml and service managers',
  note: 'Only its owner can read it. A file that is there is never changed: its key opens the secrets in the database.',
  arguments: { FILE: { text: 'Default: .env, here.', required: false, read: readText } },
  examples: ['init', 'init /etc/facteur.env'],
  run: (_, { FILE }) => init(resolve(FILE ?? '.env')),
})

function init(file: string): Result {
  try {
    // `wx` and `flush`: of two that begin together one writes, and what is said to be there is on
    // the disk.
    writeFileSync(file, contents(), { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return leave(file)
    throw new CommandRefusal('refused', `${file} cannot be written (${codeOf(error)}).`)
  }
  return printed(
    { id: file, made: true },
    `${file} holds a master key and a token now. Keep a copy: without the key the secrets in the database cannot be read.`,
  )
}

function leave(file: string): Result {
  if (!/^[ \t]*(?:export[ \t]+)?FACTEUR_MASTER_KEY=[ \t]*\S/m.test(read(file)))
    throw new CommandRefusal(
      'conflict',
      `${file} is there without a FACTEUR_MASTER_KEY, and was left as it is: add one, or move it away.`,
    )
  return printed(
    { id: file, made: false },
    `${file} is there already, and its key stays: nothing was changed.`,
  )
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandRefusal('refused', `${file} cannot be read (${codeOf(error)}).`)
  }
}

/**
 * No character of a secret means anything to a shell, to compose or in the address of a database.
 */
const contents =
  (): string => `# Written by "facteur init". Keep it secret, and keep a copy. Every other setting may be added: see .env.example.
FACTEUR_MASTER_KEY=${randomBytes(32).toString('base64')}
# Opens /captured and /metrics beyond this machine, and in a container.
FACTEUR_OPERATOR_TOKEN=${randomBytes(24).toString('base64url')}
# Of the PostgreSQL of compose.yaml; it is set when that is first made.
FACTEUR_DATABASE_PASSWORD=${randomBytes(24).toString('base64url')}
`

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)
