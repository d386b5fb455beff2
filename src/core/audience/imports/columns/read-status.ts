/**
 * Reads the status of a contact from a line of an import file: subscribed, pending, or that they
 * left, by any of its columns.
 */
import { normalised } from '../../../files/address-column.ts'
import { unguarded } from '../../../../ground/csv/write-csv.ts'
import type { StatusWord } from '../../../../contract/workspace/imports.ts'
import type { ImportColumns } from './import-columns.ts'
import { isDeparture, meaningOf, says, type Departure, type StatusMeaning } from './status-words.ts'

/** Known words, and those whose meaning the importing user said. */
export interface StatusMeanings {
  of(word: string): StatusMeaning | undefined
}

const knownMax = 1_000

/** The user's meaning of a word wins over the known one. */
export function statusMeanings(words: readonly StatusWord[]): StatusMeanings {
  // Of a word without a letter nothing is left.
  const keyOf = (word: string): string => normalised(word) || word.trim()
  const byWord = new Map(words.map(({ word, meaning }) => [keyOf(word), meaning]))
  const read = (word: string): StatusMeaning | undefined =>
    byWord.get(keyOf(word)) ?? meaningOf(word)
  // A file has few different words, and each in many lines.
  const known = new Map<string, StatusMeaning | undefined>([['', undefined]])
  return {
    of(word) {
      if (known.has(word)) return known.get(word)
      const meaning = read(word)
      if (known.size < knownMax) known.set(Buffer.from(word).toString(), meaning)
      return meaning
    },
  }
}

/** As it was before a spreadsheet's guard, without spaces around it. */
export const columnValue = (values: string[], column: number | null): string =>
  column === null ? '' : unguarded((values[column] ?? '').trim())

/** That they left, by a date, a yes, a no or a word; null when no column says so. */
export function departureIn(
  values: string[],
  columns: ImportColumns,
  meanings: StatusMeanings,
): Departure | null {
  for (const { column, meaning, by } of columns.indication)
    if (meaning !== 'pending' && says(columnValue(values, column), by)) return meaning
  for (const column of columns.statuses) {
    const meaning = meanings.of(columnValue(values, column))
    if (meaning !== undefined && isDeparture(meaning)) return meaning
  }
  return null
}

/** Whether a column calls them pending; asked of those who did not leave. */
export const isPendingIn = (
  values: string[],
  columns: ImportColumns,
  meanings: StatusMeanings,
): boolean =>
  columns.statuses.some((column) => meanings.of(columnValue(values, column)) === 'pending') ||
  columns.indication.some(
    ({ column, meaning, by }) => meaning === 'pending' && says(columnValue(values, column), by),
  )
