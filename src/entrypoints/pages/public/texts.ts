/** Texts of the public pages and of their forms. */
import { formTexts } from '../../../core/forms/form-texts.ts'
import { texts as all, type Language, type Texts as All } from '../../../ground/texts/texts.ts'

export type PublicTexts = All['form'] & All['publicPages']

export const publicTexts: Record<Language, PublicTexts> = {
  fr: { ...formTexts.fr, ...all.fr.publicPages },
  en: { ...formTexts.en, ...all.en.publicPages },
}
