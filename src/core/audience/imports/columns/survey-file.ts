/**
 * Reads a whole import file before its first line is stored, once: that it is UTF-8, which columns
 * hold a status, which of their words are not known, what divides its tags, who left by any line,
 * and which fields its attributes name.
 *
 * 1. the words of each column that is, or may be, a status; half of them known: it is one
 * 2. the addresses of lines that say that the contact left: another line of the same address
 *    subscribes nobody. What a column says that may be a status counts when the whole file shows
 *    that it is one
 */
import type { FieldType } from '../../../../contract/field-types.ts'
import { parseMailbox } from '../../../../ground/address.ts'
import {
  inspecting,
  type InspectedCsv,
  type OpenBytes,
} from '../../../../ground/csv/inspect-csv.ts'
import { CsvError, type CsvRecord } from '../../../../ground/csv/read-csv.ts'
import { readCsvRecords } from '../../../../ground/csv/read-file.ts'
import type { FileLayout } from '../../../../db/files/import-refusals.ts'
import { createTypeTally } from '../../fields/guess-type.ts'
import { AddressDigests, digestOf } from './address-digests.ts'
import { readAttributes } from './read-attributes.ts'
import type { ImportColumns } from './import-columns.ts'
import { columnValue, departureIn, type StatusMeanings } from './read-status.ts'
import { layoutOf } from '../../../files/refused-lines.ts'
import { isDeparture, meaningOf } from './status-words.ts'
import { createSeparatorTally, type UnknownSeparator } from './tag-separators.ts'
import { StoppedReading, type UnknownWord } from './unanswered-questions.ts'

export interface SurveyedFile extends InspectedCsv {
  /** With the status columns that only their words show, and the fields of the attributes. */
  columns: ImportColumns
  layout: FileLayout
  /** The most frequent first; at most `unknownMax`. */
  unknownWords: UnknownWord[]
  unknownSeparators: UnknownSeparator[]
  /** The types that the values of the columns of fields suggest, by key; without texts. */
  guessedTypes: ReadonlyMap<string, FieldType>
  /** Whether a line says that this contact left. */
  hasLeft(email: string): boolean
}

interface SurveyInput {
  open: OpenBytes
  columnsOf(headers: string[]): ImportColumns
  meanings: StatusMeanings
  onProgress(bytesDone: number): void
  signal: AbortSignal
}

/** Unknown words that are named at once. */
const unknownMax = 50

/**
 * A column with more different words is no status; of a named status column, only the counted ones
 * are named.
 */
const differentMax = 1_000

/** Longest word that is counted by itself. */
const wordMax = 100

/** Throws `CsvError`, what `columnsOf` throws, and `StoppedReading` when aborted. */
export async function surveyFile({
  open,
  columnsOf,
  meanings,
  onProgress,
  signal,
}: SurveyInput): Promise<SurveyedFile> {
  const inspection = inspecting(open)
  let lines: LineSurvey | null = null
  let bytesDone = 0
  for await (const { records, bytes, delimiter } of readCsvRecords(inspection.open)) {
    if (signal.aborted) throw new StoppedReading()
    for (const record of records) {
      if (record.values.length === 0) continue
      if (lines) lines.add(record.values)
      else
        lines = createLineSurvey({
          header: record,
          delimiter,
          columns: columnsOf(record.values),
          meanings,
        })
    }
    bytesDone += bytes
    onProgress(bytesDone)
  }
  if (signal.aborted) throw new StoppedReading()
  if (!lines) throw new CsvError('empty', 1)
  return { ...inspection.inspected(), ...lines.result() }
}

interface LineSurvey {
  add(values: string[]): void
  result(): Omit<SurveyedFile, keyof InspectedCsv>
}

/** A column without a target: a status, if its words show it. */
interface FreeColumn {
  words: Map<string, number>
  /** Who left, if it is one. */
  left: AddressDigests
}

function createLineSurvey({
  header,
  delimiter,
  columns,
  meanings,
}: {
  header: CsvRecord
  delimiter: string
  columns: ImportColumns
  meanings: StatusMeanings
}): LineSurvey {
  const named = new Map(columns.statuses.map((column) => [column, new Map<string, number>()]))
  const free = new Map<number, FreeColumn>(
    columns.free.map((column) => [column, { words: new Map(), left: new AddressDigests() }]),
  )
  const left = new AddressDigests()
  const separators = createSeparatorTally()
  const keys = new Set<string>()
  const types = columns.fields.map((field) => ({ ...field, tally: createTypeTally() }))

  return {
    add(values) {
      for (const [column, words] of named) countWord(words, columnValue(values, column))
      const leftIn = departureIn(values, columns, meanings) === null ? [] : [left]
      for (const [column, freeColumn] of free) {
        const value = columnValue(values, column)
        countWord(freeColumn.words, value)
        if (freeColumn.words.size === differentMax) free.delete(column)
        else if (saysLeft(value, meanings)) leftIn.push(freeColumn.left)
      }
      if (leftIn.length > 0) addAddress(leftIn, columnValue(values, columns.email))
      separators.look(columnValue(values, columns.tags))
      for (const { column, tally } of types) tally.look(columnValue(values, column))
      for (const key of attributeKeys(values, columns.attributes))
        if (keys.size < differentMax) keys.add(key)
    },
    result() {
      const shown = [...free].filter(([, { words }]) => isStatus(words))
      const statuses = [...named, ...shown.map(([column, { words }]) => [column, words] as const)]
      const unknown = statuses.flatMap(([column, words]) =>
        unknownIn(words, meanings, header.values[column]?.trim() ?? ''),
      )
      return {
        columns: {
          ...columns,
          statuses: statuses.map(([column]) => column),
          free: [],
          attributeFields: [...keys].toSorted(),
          ignored: columns.ignored.filter(
            (name) => !shown.some(([column]) => header.values[column] === name),
          ),
        },
        layout: layoutOf({ header, delimiter }, columns.email),
        unknownWords: unknown.toSorted((a, b) => b.count - a.count).slice(0, unknownMax),
        unknownSeparators: separators.unknown(),
        guessedTypes: new Map(
          types.flatMap(({ key, tally }): [string, FieldType][] =>
            tally.guess() === 'text' ? [] : [[key, tally.guess()]],
          ),
        ),
        hasLeft: AddressDigests.finder([left, ...shown.map(([, column]) => column.left)]),
      }
    },
  }
}

function countWord(words: Map<string, number>, value: string): void {
  if (value === '') return
  const word = value.slice(0, wordMax)
  const count = words.get(word)
  if (count !== undefined) words.set(word, count + 1)
  // A copy: a slice would keep a whole piece of the file in memory.
  else if (words.size < differentMax) words.set(Buffer.from(word).toString(), 1)
}

function saysLeft(value: string, meanings: StatusMeanings): boolean {
  const meaning = meanings.of(value)
  return meaning !== undefined && isDeparture(meaning)
}

function addAddress(to: AddressDigests[], address: string): void {
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) return
  const digest = digestOf(mailbox.key)
  for (const digests of to) digests.add(digest)
}

/** Half of its values are words of a status. */
function isStatus(words: Map<string, number>): boolean {
  let [known, all] = [0, 0]
  for (const [word, count] of words) {
    all += count
    if (meaningOf(word)) known += count
  }
  return known > 0 && known * 2 >= all
}

const unknownIn = (
  words: Map<string, number>,
  meanings: StatusMeanings,
  column: string,
): UnknownWord[] =>
  [...words]
    .filter(([word]) => meanings.of(word) === undefined)
    .map(([word, count]) => ({ column, word, count }))

function attributeKeys(values: string[], column: number | null): string[] {
  if (column === null) return []
  const read = readAttributes(columnValue(values, column))
  return typeof read === 'string' ? [] : Object.keys(read)
}
