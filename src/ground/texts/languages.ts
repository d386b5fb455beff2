/**
 * The languages: of pages and mails for members, and of everything that recipients see. Each list
 * of languages elsewhere derives from these.
 */
export const memberLanguages = ['fr', 'en'] as const
export type Language = (typeof memberLanguages)[number]

/** The first that stand here are those of members. */
export const recipientLanguages = [...memberLanguages, 'de', 'es', 'it', 'nl', 'pt'] as const
export type RecipientLanguage = (typeof recipientLanguages)[number]

/** Each name stands in its own language, so that each reader knows theirs. */
export const languageNames: Record<RecipientLanguage, string> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pt: 'Português',
}

/** Members of a workspace that writes its recipients in another language read the installation's. */
export const languageForMembers = (
  language: RecipientLanguage | null,
  installation: Language,
): Language => memberLanguages.find((known) => known === language) ?? installation

/** Null when the text names no language of recipients. */
export const readRecipientLanguage = (text: string | undefined): RecipientLanguage | null =>
  recipientLanguages.find((known) => known === text) ?? null
