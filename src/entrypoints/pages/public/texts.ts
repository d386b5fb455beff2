/** What the public pages say: their own words and those of forms. */
import { formTexts } from '../../../core/forms/form-texts.ts'
import { texts as all } from '../../../texts/texts.ts'
import type { Language, Texts as All } from '../../../texts/texts.ts'

export type Texts = All['form'] & All['publicPages']

export const texts: Record<Language, Texts> = {
  fr: { ...formTexts.fr, ...all.fr.publicPages },
  en: { ...formTexts.en, ...all.en.publicPages },
}
