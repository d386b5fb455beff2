/** A file says something of its contacts in words that no product is known to write: the import asks before its first line. */
import { OperatorError } from '../../operator-error.ts'
import type { UnknownWord } from './survey-file.ts'

export class UnknownWords extends OperatorError {
  readonly words: readonly UnknownWord[]

  constructor(words: readonly UnknownWord[]) {
    super(sentenceOf(words))
    this.words = words
  }
}

function sentenceOf(words: readonly UnknownWord[]): string {
  const [first] = words
  const named = [...Map.groupBy(words, ({ column }) => column)].map(
    ([column, of]) =>
      `column "${column}": ${of.map(({ word, count }) => `"${word}" (${count} ${count === 1 ? 'line' : 'lines'})`).join(', ')}`,
  )
  return [
    `Nothing was imported, because the file has words for a status that are not known. ${named.join('; ')}.`,
    `Say what each means: --status-word "${first?.word}=subscribed", or =pending, =unsubscribed, =bounced, =complained.`,
    `If the column is no status, make it a field: --map "${first?.column}=fields.KEY".`,
  ].join(' ')
}

/** Somebody stopped an import, or the process ends, before its first line was stored. */
export class StoppedReading extends OperatorError {
  constructor() {
    super('Stopped while the file was read: nothing was stored.')
  }
}
