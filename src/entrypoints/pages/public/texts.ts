/** Texts of the public pages and of their forms. */
import type { RecipientLanguage } from '../../../ground/texts/languages.ts'
import { recipientTexts, type RecipientTexts } from '../../../ground/texts/recipient-texts.ts'

export type PublicTexts = RecipientTexts['form'] & RecipientTexts['publicPages']

export const publicTextsIn = (language: RecipientLanguage): PublicTexts => ({
  ...recipientTexts[language].form,
  ...recipientTexts[language].publicPages,
})
