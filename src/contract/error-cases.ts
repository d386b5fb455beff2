/** Words a refusal by its `details.reason`, where that says more than its code: the values of the details are put into the text. */
import { fill, texts } from '../texts/texts.ts'
import type { Language } from '../texts/texts.ts'

/** Null: the code's own text says all there is to say. */
export function caseText(code: string, details: Record<string, unknown>, language: Language): string | null {
  const cases: Record<string, Record<string, string>> = texts[language].cases
  const ofCode = Object.hasOwn(cases, code) ? cases[code] : undefined
  // Somebody who stays out although their address is not suppressed any more: the state they are in says why.
  const reason = details['suppressed'] === false ? details['status'] : details['reason']
  const text = typeof reason === 'string' && ofCode && Object.hasOwn(ofCode, reason) ? ofCode[reason] : undefined
  return text === undefined ? null : fill(text, spellAll(details, language))
}

/** The values as people read them. */
const spellAll = (details: Record<string, unknown>, language: Language): Record<string, string> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, spell(value, language)]))

function spell(value: unknown, language: Language): string {
  if (value instanceof Date) return value.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' })
  if (typeof value === 'number') return value.toLocaleString(language)
  if (Array.isArray(value)) return value.map((one) => spell(one, language)).join(', ')
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
