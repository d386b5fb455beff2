/** Builds a notice to a workspace in both languages, from the texts and their values. */
import { fill, texts, type Language, type Texts } from '../../ground/texts/texts.ts'

/** A subject, and paragraphs of plain text. */
interface Notice {
  subject: string
  paragraphs: string[]
}

export type NoticeTexts = Record<Language, Notice>

/** `values` may differ by language: each one writes percentages differently. */
export function noticeTexts(
  choose: (texts: Texts) => Notice,
  values: Record<string, string> | ((language: Language) => Record<string, string>) = {},
): NoticeTexts {
  const say = (language: Language): Notice => {
    const { subject, paragraphs } = choose(texts[language])
    const filled = typeof values === 'function' ? values(language) : values
    return {
      subject: fill(subject, filled),
      paragraphs: paragraphs.map((paragraph) => fill(paragraph, filled)),
    }
  }
  return { fr: say('fr'), en: say('en') }
}
