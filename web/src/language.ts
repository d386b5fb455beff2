/** French or English: the reader's choice, or else what their browser asks for; the texts of one language are loaded alone. */
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

const store = 'facteur-language'

const isLanguage = (text: string | null | undefined): text is Language => languages.some((language) => language === text)

export function languageNow(): Language {
  const chosen = window.localStorage.getItem(store)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((wish) => wish.slice(0, 2)).find(isLanguage) ?? 'en'
}

const texts = {
  en: () => import('virtual:texts/en'),
  fr: () => import('virtual:texts/fr'),
}

export async function startLanguage(): Promise<void> {
  const language = languageNow()
  const loaded = await texts[language]()
  await i18next.use(initReactI18next).init({
    ...{ lng: language, fallbackLng: false, defaultNS: 'shell', resources: { [language]: loaded.default } },
    // React escapes.
    interpolation: { escapeValue: false },
  })
  document.documentElement.lang = language
}

export async function changeLanguage(language: Language): Promise<void> {
  const loaded = await texts[language]()
  for (const [area, words] of Object.entries(loaded.default)) i18next.addResourceBundle(language, area, words)
  window.localStorage.setItem(store, language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}
