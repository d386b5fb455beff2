/**
 * Writes down each distinct text of a statement that this process makes, with the kinds of the
 * values that it had, for the comparison with PostgreSQL at the end of the run.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { newTexts, type NewText } from '../../../src/database/client/sql.ts'

/** Names the folder; without it nothing is recorded. */
export const STATEMENTS = 'FACTEUR_TEST_STATEMENTS'

export interface RecordedText {
  /** The texts of the template between its values, by which its place in the source is known. */
  parts: readonly string[]
  text: string
  /** Of each value: `string`, `number[]`, `Date`, `Buffer`, `null`. */
  kinds: string[]
}

export function recordStatements(): void {
  const folder = process.env[STATEMENTS]
  if (folder === undefined) return
  const file = join(folder, `${process.pid}.jsonl`)
  newTexts.subscribe((message) => {
    if (!isOfSource()) return
    const { parts, text, values } = message as NewText
    const recorded: RecordedText = { parts, text, kinds: values.map(kindOf) }
    appendFileSync(file, `${JSON.stringify(recorded)}\n`)
  })
}

/** Tests make statements of their own. */
const isOfSource = (): boolean =>
  /\/src\/(?:db|database\/(?!client\/sql\.ts))/.test(new Error('called').stack ?? '')

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return 'Buffer'
  if (value instanceof Date) return 'Date'
  if (Array.isArray(value)) return `${kindOf(value.find((each) => each !== null))}[]`
  return typeof value
}
