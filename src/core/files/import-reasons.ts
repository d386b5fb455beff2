/** Explains why lines of a file were refused, in both languages. */
import { fill, texts, type Language } from '../../ground/texts/texts.ts'

/**
 * A reason without its own text is composed: `email.` and the broken rule, or a column and
 * `too_long`, `control_character`, `misleading_character` or the type that its value does not fit.
 */
export const explainReason = (reason: string): Record<Language, string> => ({
  fr: explain(reason, 'fr'),
  en: explain(reason, 'en'),
})

function explain(reason: string, language: Language): string {
  const { known, types, addressFaults, tooLong, controlCharacter, misleadingCharacter, noAddress } =
    texts[language].importReasons
  const own = textOf(known, reason)
  if (own !== null) return own
  const [what, rule] = splitLast(reason)
  const misfit = what.startsWith('fields.') ? textOf(types, rule) : null
  if (misfit !== null) return fill(misfit, { what })
  if (rule === 'too_long') return fill(tooLong, { what })
  if (rule === 'control_character') return fill(controlCharacter, { what })
  if (rule === 'misleading_character') return fill(misleadingCharacter, { what })
  return fill(noAddress, { fault: textOf(addressFaults, rule) ?? rule.replaceAll('_', ' ') })
}

const textOf = (words: Record<string, string>, key: string): string | null =>
  Object.hasOwn(words, key) ? (words[key] ?? null) : null

function splitLast(reason: string): [string, string] {
  const at = reason.lastIndexOf('.')
  return [reason.slice(0, at), reason.slice(at + 1)]
}

/** Lists the most common reasons first, as lines for the operator. */
export function reasonLines(refused: Record<string, number>): [count: number, text: string][] {
  return Object.entries(refused)
    .toSorted(
      ([oneReason, value], [otherReason, other]) =>
        other - value || (oneReason < otherReason ? -1 : 1),
    )
    .map(([reason, count]) => [count, `${reason}: ${explainReason(reason).en}`])
}
