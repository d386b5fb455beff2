/** Defines the hints that a refusal adds to its message for common mistakes, in both languages. */
import { texts, type Language, type Texts } from '../ground/texts/texts.ts'

/** `template`: the field of other services is the most common reason for an empty body. */
export type Hint = keyof Texts['hints']

export const isHint = (value: unknown): value is Hint =>
  typeof value === 'string' && Object.hasOwn(texts.fr.hints, value)

export const hintText = (hint: Hint, language: Language): string => texts[language].hints[hint]
