/**
 * A file says something of its contacts that may be read in more than one way: the import asks
 * before its first line. It asks what words of a status mean that no product is known to write, and
 * what divides its tags.
 */
import { OperatorError } from '../../../../ground/operator-error.ts'
import type { UnknownSeparator } from './tag-separators.ts'

/** A word of a status column that no product is known to write. */
export interface UnknownWord {
  /** The header of its column. */
  column: string
  word: string
  /** Lines that have it. */
  count: number
}

interface Questions {
  words: readonly UnknownWord[]
  separators: readonly UnknownSeparator[]
}

export class UnansweredQuestions extends OperatorError {
  readonly words: readonly UnknownWord[]
  readonly separators: readonly UnknownSeparator[]

  constructor({ words, separators }: Questions) {
    super([aboutWords(words), aboutTags(separators)].filter(Boolean).join(' '))
    this.words = words
    this.separators = separators
  }
}

function aboutWords(words: readonly UnknownWord[]): string {
  const [first] = words
  if (!first) return ''
  const named = [...Map.groupBy(words, ({ column }) => column)].map(
    ([column, of]) =>
      `column "${column}": ${of.map(({ word, count }) => `"${word}" (${lines(count)})`).join(', ')}`,
  )
  return [
    `Nothing was imported, because the file has words for a status that are not known. ${named.join('; ')}.`,
    `Say what each means: --status-word "${first.word}=subscribed", or =pending, =unsubscribed, =bounced, =complained.`,
    `If the column is no status, make it a field: --map "${first.column}=fields.KEY".`,
  ].join(' ')
}

function aboutTags(separators: readonly UnknownSeparator[]): string {
  const [first] = separators
  if (!first) return ''
  const named = separators.map(
    ({ separator, count, example }) =>
      `${quoted(separator)} (${lines(count)}, such as ${quoted(example)})`,
  )
  return [
    `Nothing was imported, because it is not known what divides the tags of one cell: ${named.join(', ')}.`,
    `Say it: --tag-separator ${quoted(first.separator)}. If none of them does: --tag-separator ${first.separator === ',' ? '"|"' : '","'}.`,
  ].join(' ')
}

const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`

/** A tab is `\\t`, as `--tag-separator` reads it. */
const quoted = (text: string): string => JSON.stringify(text)

/** Somebody stopped an import, or the process ends, before its first line was stored. */
export class StoppedReading extends OperatorError {
  constructor() {
    super('Stopped while the file was read: nothing was stored.')
  }
}
