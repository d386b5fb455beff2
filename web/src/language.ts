/**
 * The pages are in French or English: the reader's choice, or else the browser's. The browser loads
 * one language only.
 */
import i18next, { type BackendModule, type ReadCallback } from 'i18next'
import { initReactI18next } from 'react-i18next'

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

export const languageNames: Record<Language, string> = { en: 'English', fr: 'Français' }
/** Select fields take the languages in this form. */
export const languageOptions = languages.map((value) => ({ value, label: languageNames[value] }))

const store = 'facteur-language'

const isLanguage = (text: string | null | undefined): text is Language =>
  languages.some((language) => language === text)

export function languageNow(): Language {
  const chosen = window.localStorage.getItem(store)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((wish) => wish.slice(0, 2)).find(isLanguage) ?? 'en'
}

/** Dates and numbers are as the reader's browser wants them: en-GB is not en-US. */
const localeOf = (language: Language): string =>
  navigator.languages.find((wish) => wish.slice(0, 2) === language) ?? language

const texts = {
  en: () => import('virtual:texts/en'),
  fr: () => import('virtual:texts/fr'),
}

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
