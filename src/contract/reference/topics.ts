/** Splits the reference into its chapters, so that an agent can read only what it needs. */
import { anchor } from './markdown.ts'

export const docsUri = 'service://docs'

/** `service://docs/e-mails` is the chapter "E-mails". */
export const topicUri = (title: string): string => `${docsUri}/${anchor(title)}`

export interface Topic {
  uri: string
  name: string
  title: string
  text: string
}

/**
 * Cuts at headings of the second level; the text before the first one belongs to the whole
 * reference.
 */
export const topicsOf = (reference: string): Topic[] =>
  reference
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => {
      const title = /^## (.*)$/m.exec(text)?.[1] ?? ''
      return { uri: topicUri(title), name: anchor(title), title, text }
    })
