/**
 * The pages are in a language of members: the reader's choice, or else the browser's. The browser
 * loads one language only.
 */
import i18next, { type BackendModule, type ReadCallback } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { languageNames, memberLanguages, recipientLanguages } from 'virtual:contract'

export type Language = (typeof memberLanguages)[number]
export type RecipientLanguage = (typeof recipientLanguages)[number]

/** Select fields take languages in this form, by their names in the alphabet. */
const optionsOf = <Known extends RecipientLanguage>(known: readonly Known[]) =>
  known
    .map((value) => ({ value, label: languageNames[value] }))
    .toSorted((a, b) => a.label.localeCompare(b.label))

export const languageOptions = optionsOf(memberLanguages)
export const recipientLanguageOptions = optionsOf(recipientLanguages)

export const asLanguage = (text: string | null | undefined): Language | null =>
  memberLanguages.find((language) => language === text) ?? null
export const asRecipientLanguage = (text: string): RecipientLanguage | null =>
  recipientLanguages.find((language) => language === text) ?? null

const store = 'facteur-language'

export function languageNow(): Language {
  const wishes = navigator.languages.map((wish) => wish.slice(0, 2))
  const known = [window.localStorage.getItem(store), ...wishes].map(asLanguage)
  return known.find((language) => language !== null) ?? 'en'
}

/** Dates and numbers are as the reader's browser wants them: en-GB is not en-US. */
const localeOf = (language: Language): string =>
  navigator.languages.find((wish) => wish.slice(0, 2) === language) ?? language

const texts = {
  en: () => import('virtual:texts/en'),
  fr: () => import('virtual:texts/fr'),
} satisfies Record<Language, unknown>

/**
 * i18next asks for the texts of an area when its first component is drawn; the component waits for
 * them.
 */
const loadTexts: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language: Language, area: string, done) => void answerArea(language, area, done),
}

async function answerArea(language: Language, area: string, done: ReadCallback): Promise<void> {
  try {
    const areas = await texts[language]()
    done(null, (await areas.default[area]?.())?.default ?? {})
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), null)
  }
}

export async function startLanguage(): Promise<void> {
  const language = languageNow()
  await i18next
    .use(loadTexts)
    .use(initReactI18next)
    .init({
      // Words that several areas say alike stand in the shell's.
      ...{
        lng: localeOf(language),
        load: 'languageOnly',
        fallbackLng: false,
        ns: ['shell'],
        defaultNS: 'shell',
        fallbackNS: 'shell',
      },
      // React escapes.
      interpolation: { escapeValue: false },
    })
  document.documentElement.lang = language
}

export async function changeLanguage(language: Language): Promise<void> {
  window.localStorage.setItem(store, language)
  await i18next.changeLanguage(localeOf(language))
  document.documentElement.lang = language
}
