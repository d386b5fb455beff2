/**
 * The texts of the service itself: refusals, hosted pages, system mails, the reasons in reports.
 * One JSON file per language, `{{name}}` where a value goes; a test holds the files to the same
 * keys and values. The texts of a workspace's pages are in web/src/texts.
 */
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

export type Language = 'fr' | 'en'

export type Texts = typeof fr

export const texts: Record<Language, Texts> = { fr, en }

/** Puts values into a text, as they are: whoever writes HTML escapes afterwards. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (location, name: string) => String(values[name] ?? location))
