/**
 * Parses one record of an import file to a subscriber, or to the reason for its refusal, by every rule that needs no database.
 */
import { parseMailbox } from '../../contract/address.ts'
import { limits } from '../../contract/limits.ts'
import type { CsvRecord } from '../../csv/read-csv.ts'
import { unguarded } from '../../csv/write-csv.ts'
import type { ImportedSubscriber } from '../../db/subscribers/store-imported.ts'
import type { ImportColumns } from './import-columns.ts'

/** `tags` come from the file's own column; the import's tags are added later. `fields` are those that are not empty. */
export type ImportRow = Omit<ImportedSubscriber, 'id' | 'again'>

export interface RefusedRow {
  line: number
  reason: string
  /** The content of the address column, cut to an address's maximum length. */
  email: string
}

const leftBy = new Set(['unsubscribed', 'bounced', 'complained'])

/** An empty cell leaves the subscriber's known value unchanged. */
export function readRow(record: CsvRecord, columns: ImportColumns, tagsOfAll: number): ImportRow | RefusedRow {
  const cell = (column: number | null): string => (column === null ? '' : unguarded((record.cells[column] ?? '').trim()))
  const address = cell(columns.email)
  const refuse = (reason: string): RefusedRow => ({ line: record.line, reason, email: storableText(address) })
  if (record.broken) return refuse('cells.text_after_quote')
  if (record.cells.length > columns.count && record.cells.slice(columns.count).some((text) => text.trim() !== ''))
    return refuse('cells.too_many')
  if (address === '') return refuse('email.missing')
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) return refuse(`email.${mailbox.rule}`)
  if (mailbox.name !== null) return refuse('email.name')
  const status = cell(columns.status).toLowerCase()
  if (leftBy.has(status)) return refuse(`file.${status}`)
  const [firstName, lastName] = [cell(columns.firstName), cell(columns.lastName)]
  const problem =
    checkText('firstName', firstName, limits.subscriberNameMax) ?? checkText('lastName', lastName, limits.subscriberNameMax)
  if (problem !== null) return refuse(problem)
  const tags = columns.tags === null ? [] : splitTags(cell(columns.tags))
  if (tags.length + tagsOfAll > limits.subscriberTagsMax) return refuse('tags.too_many')
  for (const tag of tags) if (!isTag(tag)) return refuse('tags.malformed')
  let fields: Record<string, string> | null = null
  for (const { key, column } of columns.fields) {
    const value = cell(column)
    if (value === '') continue
    const wrong = checkText(`fields.${key}`, value, limits.fieldValueMax, unkeepable)
    if (wrong !== null) return refuse(wrong)
    fields ??= {}
    fields[key] = value
  }
  return {
    line: record.line,
    email: mailbox.key,
    firstName: firstName || null,
    lastName: lastName || null,
    tags,
    fields: fields === null ? null : JSON.stringify(fields),
  }
}

/** Splits the tags of one cell at commas and semicolons; a backslash escapes one that belongs to a tag. */
export const splitTags = (text: string): string[] => [
  ...new Set(
    (text.match(/(?:\\[\\,;]|[^,;])+/g) ?? [])
      .map((tag) => tag.trim().replaceAll(/\\([\\,;])/g, '$1'))
      .filter((tag) => tag !== ''),
  ),
]

/** Writes the cell that `splitTags` reads as these tags. */
export const joinTags = (tags: string[]): string => tags.map((tag) => tag.replaceAll(/[\\,;]/g, String.raw`\$&`)).join(',')

export const isTag = (text: string): boolean => checkText('tag', text, limits.subscriberTagMax) === null

/** Control characters of any kind are refused in names and tags, as by the API. */
const controls = /[\p{Cc}\u2028\u2029]/u

/** A field may have several lines; mails remove what does not fit there. PostgreSQL stores no NUL. */
const unkeepable = /\0/

function checkText(name: string, text: string, max: number, refused = controls): string | null {
  if (refused.test(text)) return `${name}.control_character`
  // Code points are never more than UTF-16 units.
  return text.length > max && [...text].length > max ? `${name}.too_long` : null
}

/** PostgreSQL stores no NUL. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, limits.addressMax)
