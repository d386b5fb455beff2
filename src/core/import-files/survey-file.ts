/**
 * Reads a whole import file before its first line is stored: which columns hold a status, which of their words are not known, who
 * left by any line, and which fields its attributes name.
 *
 * 1. the words of each column that is, or may be, a status; half of them known: it is one
 * 2. the addresses of lines that say that the contact left: another line of the same address subscribes nobody
 */
import { hash } from 'node:crypto'
import { parseMailbox } from '../../contract/address.ts'
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import { readCsvRecords } from '../../csv/read-file.ts'
import { readAttributes } from './read-attributes.ts'
import type { ImportColumns } from './import-columns.ts'
import { columnValue, departureIn, type StatusMeanings } from './read-status.ts'
import { meaningOf } from './status-words.ts'

/** A word of a status column that no product is known to write. */
export interface UnknownWord {
  /** The header of its column. */
  column: string
  word: string
  /** Lines that have it. */
  count: number
}

export interface SurveyedFile {
  /** With the status columns that only their words show, and the fields of the attributes. */
  columns: ImportColumns
  /** The most frequent first; at most `unknownMax`. */
  unknown: UnknownWord[]
  /** Whether a line says that this contact left. */
  hasLeft(email: string): boolean
}

interface SurveyInput {
  open: OpenBytes
  headers: string[]
  columns: ImportColumns
  meanings: StatusMeanings
  onProgress(bytesDone: number): void
  signal: AbortSignal
}

/** Unknown words that are named at once. */
const unknownMax = 50

/** A column with more different words is no status; of a named status column, only the counted ones are named. */
const differentMax = 1_000

/** Longest word that is counted by itself. */
const wordMax = 100

/** Throws `CsvError`. When aborted, it ends early, and what it answers is not to be used. */
export async function surveyFile(input: SurveyInput): Promise<SurveyedFile> {
  const { headers, columns, meanings } = input
  const tallies = new Map([...columns.statuses, ...columns.free].map((column) => [column, new Map<string, number>()]))
  const keys = new Set<string>()
  await eachRecord(input, (cells) => {
    for (const [column, tally] of tallies) countWord(tally, columnValue(cells, column))
    for (const key of attributeKeys(cells, columns.attributes)) if (keys.size < differentMax) keys.add(key)
  })
  const shownByWords = columns.free.filter((column) => isStatus(tallies.get(column) ?? new Map()))
  const statuses = [...columns.statuses, ...shownByWords]
  const whole: ImportColumns = {
    ...columns,
    statuses,
    free: [],
    attributeFields: [...keys].toSorted(),
    ignored: columns.ignored.filter((header) => !shownByWords.some((column) => headers[column] === header)),
  }
  const unknown = statuses.flatMap((column) =>
    unknownIn(tallies.get(column) ?? new Map(), meanings).map(([word, count]) => ({
      ...{ column: headers[column]?.trim() ?? '', word, count },
    })),
  )
  if (unknown.length > 0 || whole.statuses.length + whole.departures.length === 0)
    return { columns: whole, unknown: mostFrequent(unknown), hasLeft: () => false }
  return { columns: whole, unknown: [], hasLeft: await whoLeft(input, whole) }
}

async function eachRecord({ open, onProgress, signal }: SurveyInput, look: (cells: string[]) => void): Promise<void> {
  let bytesDone = 0
  let isHeader = true
  for await (const { records, bytes } of readCsvRecords(open)) {
    if (signal.aborted) return
    for (const { cells } of records) {
      if (cells.length === 0) continue
      if (!isHeader) look(cells)
      isHeader = false
    }
    bytesDone += bytes
    onProgress(bytesDone)
  }
}

function countWord(tally: Map<string, number>, cell: string): void {
  if (cell === '') return
  const word = cell.slice(0, wordMax)
  const count = tally.get(word)
  if (count !== undefined || tally.size < differentMax) tally.set(word, (count ?? 0) + 1)
}

/** Half of its values are words of a status. */
function isStatus(tally: Map<string, number>): boolean {
  let [known, all] = [0, 0]
  for (const [word, count] of tally) {
    all += count
    if (meaningOf(word)) known += count
  }
  return known > 0 && known * 2 >= all
}

const unknownIn = (tally: Map<string, number>, meanings: StatusMeanings): [word: string, count: number][] =>
  [...tally].filter(([word]) => meanings.of(word) === undefined)

const mostFrequent = (unknown: UnknownWord[]): UnknownWord[] =>
  unknown.toSorted((one, other) => other.count - one.count).slice(0, unknownMax)

function attributeKeys(cells: string[], column: number | null): string[] {
  if (column === null) return []
  const read = readAttributes(columnValue(cells, column))
  return typeof read === 'string' ? [] : Object.keys(read)
}

/** Eight bytes an address, sorted: a million leavers take 8 MB. */
async function whoLeft(input: SurveyInput, columns: ImportColumns): Promise<(email: string) => boolean> {
  let digests = new BigUint64Array(1_024)
  let count = 0
  await eachRecord(input, (cells) => {
    if (departureIn(cells, columns, input.meanings) === null) return
    const mailbox = parseMailbox(columnValue(cells, columns.email))
    if ('rule' in mailbox) return
    if (count === digests.length) {
      const longer = new BigUint64Array(2 * count)
      longer.set(digests)
      digests = longer
    }
    digests[count++] = digestOf(mailbox.key)
  })
  const sorted = digests.subarray(0, count).toSorted()
  return count === 0 ? () => false : (email) => has(sorted, digestOf(email))
}

const digestOf = (email: string): bigint => hash('sha256', email, 'buffer').readBigUInt64LE()

function has(sorted: BigUint64Array, wanted: bigint): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0n) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted
}
