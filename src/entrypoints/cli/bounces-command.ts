/**
 * `facteur bounces FOLDER`: says of each mail of a folder how the service would take it. It needs
 * no database and changes nothing.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { classifyMail, type ClassifiedMail } from '../../mail/reports/classify-mail.ts'
import { defineCommand } from './command.ts'
import { CommandRefusal } from './refusal.ts'
import { listed } from './result.ts'
import { readText } from './values.ts'

const atOnce = 100
/** Characters of a reason in the table; `--json` has it whole. */
const reasonMax = 100

interface ReadFile extends ClassifiedMail {
  file: string
}

export const bouncesCommand = defineCommand({
  name: 'bounces',
  summary: 'Say how each mail of a folder would be taken if it came back',
  note: 'Each file is one mail. Nothing is stored or changed: try it on bounces that you have. "hard", "soft", "policy" and "other" are those of docs/providers.md. "delayed", "relayed" and "delivered" are notices of no failure. "complaint" and "opt-out" are reports of a recipient, "automatic" is an answer of nobody, such as one of a holiday. "unread" is a notice that is not understood, "none" no notice at all, "unreadable" a file that cannot be read as a mail.',
  arguments: {
    FOLDER: { text: 'Its files, and those of its folders.', required: true, read: readText },
  },
  examples: ['bounces ~/Maildir/cur', 'bounces bounces/ --json'],
  run({ signal }, { FOLDER }) {
    const counts = new Map<string, number>()
    return listed({
      pages: readFiles(FOLDER, { signal, counts }),
      columns: [
        { title: 'FILE', cell: ({ file }) => file },
        { title: 'CLASS', cell: (mail) => mail.class },
        { title: 'CODE', cell: ({ code }) => code ?? '' },
        {
          title: 'REASON',
          cell: ({ reason }) => (reason ?? '').replaceAll(/\s+/g, ' ').slice(0, reasonMax),
        },
      ],
      json: (mail) => mail,
      empty: `${FOLDER} has no file.`,
      closing: () => summaryOf(counts),
    })
  },
})

async function* readFiles(
  folder: string,
  { signal, counts }: { signal: AbortSignal; counts: Map<string, number> },
): AsyncGenerator<ReadFile[]> {
  const names = filesOf(folder)
  for (let at = 0; at < names.length && !signal.aborted; at += atOnce) {
    const mails: ReadFile[] = []
    for (const file of names.slice(at, at + atOnce)) {
      const mail = await classifyFile(join(folder, file))
      counts.set(mail.class, (counts.get(mail.class) ?? 0) + 1)
      mails.push({ file, ...mail })
    }
    yield mails
  }
}

/** A file that cannot be read is one of the folder's all the same. */
async function classifyFile(path: string): Promise<ClassifiedMail> {
  try {
    return await classifyMail(readFileSync(path))
  } catch (error) {
    return {
      class: 'unreadable',
      code: null,
      reason: `The file cannot be read (${codeOf(error)}).`,
    }
  }
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .toSorted()
  } catch (error) {
    throw new CommandRefusal('refused', `The folder ${folder} cannot be read (${codeOf(error)}).`)
  }
}

/** The largest class first. Null if there was no mail. */
function summaryOf(counts: Map<string, number>): string | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const classes = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
  return total === 0 ? null : `${total} ${total === 1 ? 'mail' : 'mails'}: ${classes.join(', ')}.`
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)
