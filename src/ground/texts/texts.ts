/**
 * The texts of the service itself: refusals, system mails, the reasons in reports. One JSON file
 * per language, `{{name}}` where a value goes. A key too few or too many does not compile, and a
 * test compares the values. Recipients' texts are in recipient-texts.ts, those of a workspace's
 * pages in web/src/texts.
 */
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import type { Language } from './languages.ts'
import { withKeysOf } from './with-keys-of.ts'

export type { Language } from './languages.ts'

export type Texts = typeof fr

export const texts: Record<Language, Texts> = { fr, en: withKeysOf<Texts>()(en) }

/** Puts values into a text, as they are: whoever writes HTML escapes afterwards. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (location, name: string) => String(values[name] ?? location))
