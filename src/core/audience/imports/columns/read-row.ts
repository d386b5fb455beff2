/**
 * Parses one record of an import file to a subscriber, or to the reason for its refusal, by every
 * rule that needs no database.
 */
import { parseMailbox } from '../../../../ground/address.ts'
import type { TypedField } from '../../../../contract/field-types.ts'
import { limits } from '../../../../contract/limits.ts'
import type { CsvRecord } from '../../../../ground/csv/read-csv.ts'
import type { FileLayout, StoredRefusal } from '../../../../db/files/import-refusals.ts'
import type { ImportedSubscriber } from '../../../../db/audience/store-imported.ts'
import { addressToStore } from '../../../files/address-column.ts'
import { readFileValue } from '../../fields/field-values.ts'
import { readAttributes } from './read-attributes.ts'
import type { ImportColumns } from './import-columns.ts'
import { refusedLine } from '../../../files/refused-lines.ts'
import { columnValue, departureIn, isPendingIn, type StatusMeanings } from './read-status.ts'
import { splitTags } from './tag-separators.ts'

/**
 * `tags` come from the file's own column; the import's tags are added later. `fields` are those
 * that are not empty.
 */
export type ImportRow = Omit<ImportedSubscriber, 'id' | 'again'> & { record: CsvRecord }

/** `email` is what `addressToStore` makes of the address column. */
export type RefusedRow = StoredRefusal

/** How the lines of a file are read, once it is known as a whole. */
export interface RowReading {
  columns: ImportColumns
  layout: FileLayout
  meanings: StatusMeanings
  /** The separators of the tags of one value. */
  tagSeparators: string | undefined
  /** Whether any line says that this contact left. */
  hasLeft(email: string): boolean
  /** The fields whose values must fit a type, by key. */
  types: ReadonlyMap<string, TypedField>
  /** How many tags each subscriber gets from the import's settings. */
  tagsOfAll: number
}

/** An empty value leaves the subscriber's known value unchanged. */
export function readRow(record: CsvRecord, reading: RowReading): ImportRow | RefusedRow {
  const { columns, meanings } = reading
  const valueIn = (column: number | null): string => columnValue(record.values, column)
  const address = valueIn(columns.email)
  const refuse = (reason: string): RefusedRow => ({
    ...{
      line: record.line,
      reason,
      email: addressToStore(address),
      content: refusedLine(record, reading.layout),
    },
  })
  if (record.broken) return refuse('cells.text_after_quote')
  if (
    record.values.length > columns.count &&
    record.values.slice(columns.count).some((text) => text.trim() !== '')
  )
    return refuse('cells.too_many')
  if (address === '') return refuse('email.missing')
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) return refuse(`email.${mailbox.rule}`)
  if (mailbox.name !== null) return refuse('email.name')
  const departure = departureIn(record.values, columns, meanings)
  if (departure !== null) return refuse(`file.${departure}`)
  if (reading.hasLeft(mailbox.key)) return refuse('file.left_elsewhere')
  const { firstName, lastName } = namesOf(valueIn, columns)
  const problem =
    checkText('firstName', firstName, limits.subscriberNameMax) ??
    checkText('lastName', lastName, limits.subscriberNameMax)
  if (problem !== null) return refuse(problem)
  const tags = columns.tags === null ? [] : splitTags(valueIn(columns.tags), reading.tagSeparators)
  if (tags.length + reading.tagsOfAll > limits.subscriberTagsMax) return refuse('tags.too_many')
  for (const tag of tags) if (!isTag(tag)) return refuse('tags.malformed')
  const fields = readFields(valueIn, reading)
  if (typeof fields === 'string') return refuse(fields)
  return {
    line: record.line,
    record,
    email: mailbox.key,
    pending: isPendingIn(record.values, columns, meanings),
    firstName: firstName || null,
    lastName: lastName || null,
    tags,
    fields: Object.keys(fields).length === 0 ? null : JSON.stringify(fields),
  }
}

type ValueIn = (column: number | null) => string

/** A whole name is divided at its first space; columns of their own win. */
function namesOf(
  valueIn: ValueIn,
  columns: ImportColumns,
): { firstName: string; lastName: string } {
  const [first = '', ...more] = valueIn(columns.name).split(/\s+/)
  return {
    firstName: valueIn(columns.firstName) || first,
    lastName: valueIn(columns.lastName) || more.join(' '),
  }
}

/**
 * Values by key, those of columns before those of attributes; a text is the reason why the line is
 * refused.
 */
function readFields(
  valueIn: ValueIn,
  { columns, types }: RowReading,
): Record<string, string> | string {
  const attributes = readAttributes(valueIn(columns.attributes))
  if (typeof attributes === 'string') return attributes
  const fields: Record<string, string> = {}
  const values = [
    ...Object.entries(attributes),
    ...columns.fields.map(({ key, column }) => [key, valueIn(column)] as const),
  ]
  for (const [key, value] of values) {
    if (value === '') continue
    const wrong = checkText(`fields.${key}`, value, limits.fieldValueMax, unkeepable)
    if (wrong !== null) return wrong
    const field = types.get(key)
    const stored = field ? readFileValue(field, value) : value
    if (stored === null) return `fields.${key}.${field?.type}`
    fields[key] = stored
  }
  return fields
}

export const isTag = (text: string): boolean =>
  checkText('tag', text, limits.subscriberTagMax) === null

/** Control characters of any kind are refused in names and tags, as by the API. */
const controls = /[\p{Cc}\u2028\u2029]/u

/**
 * A field may have several lines; mails remove what does not fit there. PostgreSQL stores no NUL.
 */
const unkeepable = /\0/

function checkText(name: string, text: string, max: number, refused = controls): string | null {
  if (refused.test(text)) return `${name}.control_character`
  // Code points are never more than UTF-16 units.
  return text.length > max && [...text].length > max ? `${name}.too_long` : null
}
