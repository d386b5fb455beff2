/**
 * Writes a refusal as one whole sentence, since SDKs show only the message (semantics 4: Language).
 * The sentence comes from the rule that a field breaks, with the found and the allowed value.
 * Or it comes from `details.reason`, if that says more than the code.
 */
import { fill, texts, type Language, type Texts } from '../ground/texts/texts.ts'

/** Returns null when the code's own text is enough. */
export function caseText(
  code: string,
  details: Record<string, unknown>,
  language: Language,
): string | null {
  if (code === 'validation_error' && typeof details['rule'] === 'string')
    return ruleText(details['rule'], details, language)
  const cases: Record<string, Record<string, string>> = texts[language].cases
  const ofCode = Object.hasOwn(cases, code) ? cases[code] : undefined
  // The address is no longer suppressed, so the subscriber's status is the reason.
  const reason = details['suppressed'] === false ? details['status'] : details['reason']
  const text = ofCode && textOf(ofCode, typeof reason === 'string' ? reason : 'plain')
  return text === undefined ? null : fill(text, spellAll(details, language))
}

/** Writes one sentence: the field, its rule with the allowed value, and the found value. */
function ruleText(rule: string, details: Record<string, unknown>, language: Language): string {
  const { rules, ruleWords: words } = texts[language]
  const { path, limit, allowed, expected, found: result, value } = details
  const field = typeof path === 'string' && path !== '' ? code(path) : words.body
  const entry = limit === 1 ? textOf(rules, `${rule}.one`) : undefined
  return fill(
    entry ?? textOf(rules, rule) ?? textOf(rules, rule.replace(/^address\./, '')) ?? rules.other,
    {
      ...{ field, rule },
      limit: spell(limit ?? '', language),
      allowed: listOf(allowed, words.or),
      expected: wordsOf(expected, words),
      value: code(spell(value ?? '', language)),
      character: textOf(texts[language].misleadingCharacters, String(result)) ?? '',
      found: foundText(rule, result, language),
    },
  )
}

/** Describes the found value: how much of it, of which kind, or the value itself. */
function foundText(rule: string, result: unknown, language: Language): string {
  const words = texts[language].ruleWords
  if (result === undefined) return ''
  if (rule === 'type') return fill(words.foundKind, { value: wordsOf(result, words) })
  if (counted.has(rule)) return fill(words.foundCount, { value: spell(result, language) })
  return fill(words.foundValue, { value: code(JSON.stringify(result)) })
}

/** Rules whose sentence counts the found characters or entries. */
export const counted: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'recipients',
])

/** Kinds and formats in words; one without words keeps its name. */
const wordsOf = (names: unknown, words: Texts['ruleWords']): string =>
  [names]
    .flat()
    .map((name) => textOf(words, String(name)) ?? code(String(name)))
    .join(words.or)

const listOf = (values: unknown, or: string): string => {
  const spelled = Array.isArray(values) ? values.map((value) => code(String(value))) : []
  return spelled.length < 2
    ? spelled.join('')
    : `${spelled.slice(0, -1).join(', ')}${or}${spelled.at(-1)}`
}

const code = (text: string): string => `\`${text}\``

const textOf = (known: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(known, name) ? known[name] : undefined

/** The values in a readable form. */
const spellAll = (details: Record<string, unknown>, language: Language): Record<string, string> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, spell(value, language)]))

function spell(value: unknown, language: Language): string {
  if (value instanceof Date)
    return value.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' })
  if (typeof value === 'number') return value.toLocaleString(language)
  if (Array.isArray(value))
    return value.length === 0 ? '–' : value.map((item) => spell(item, language)).join(', ')
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
