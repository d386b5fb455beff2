/** Guesses the type of a column from its values, so that an import can ask whether it is right. */
import { fieldPatterns, type FieldType } from '../../../contract/field-types.ts'
import { booleanOf } from './field-values.ts'

/** `0` and `1` are numbers before they are a no and a yes. */
const candidates: readonly [FieldType, (text: string) => boolean][] = [
  ['boolean', (text) => !/[01]/.test(text) && booleanOf(text) !== null],
  ['date', (text) => dates.test(text)],
  ['number', (text) => numbers.test(text)],
]
const dates = new RegExp(fieldPatterns.date)
const numbers = new RegExp(fieldPatterns.number)

/** One value may look like anything. */
const valuesMin = 2

/** Looks at one value after the other, without keeping them; empty ones say nothing. */
export function createTypeTally() {
  let [left, observed] = [candidates, 0]
  return {
    look(text: string): void {
      if (text === '' || left.length === 0) return
      observed++
      left = left.filter(([, isValue]) => isValue(text))
    },
    /** `text`: several of them have no type in common. */
    guess: (): FieldType => (observed < valuesMin ? 'text' : (left[0]?.[0] ?? 'text')),
  }
}

export function guessType(values: readonly string[]): FieldType {
  const tally = createTypeTally()
  for (const value of values) tally.look(value)
  return tally.guess()
}
