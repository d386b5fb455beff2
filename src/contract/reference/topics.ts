/** The parts of the reference, one for each of its chapters, so that an agent reads what it needs and not the whole. */
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

/** Cut at its headings of the second level; what stands before the first is the whole reference's own. */
export const topicsOf = (reference: string): Topic[] =>
  reference
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => {
      const title = /^## (.*)$/m.exec(text)?.[1] ?? ''
      return { uri: topicUri(title), name: anchor(title), title, text }
    })
