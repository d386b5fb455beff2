/** Texts of the page around the reference; the reference itself is in English. */
import { texts as all, type Language, type Texts } from '../../../texts/texts.ts'

export const docsTexts: Record<Language, Texts['docsPage']> = { fr: all.fr.docsPage, en: all.en.docsPage }
