/**
 * Defines the guides: parts of the reference that are also separate files, `docs/webhooks.md` and
 * `docs/migrating-from-resend.md`.
 */
import { anchor } from './markdown.ts'
import { resendGuide } from './resend-guide.ts'
import { webhooksGuide } from './webhooks-guide.ts'

export interface Guide {
  /** Its own file, next to `api.md`. */
  file: string
  title: string
  summary: string
  /** The text as a part of the reference, from its `##` heading on. */
  text: string
}

export const guides = (baseUrl: string): Guide[] => [
  {
    file: 'webhooks.md',
    title: 'Receiving webhooks',
    summary:
      'what arrives, verification in several languages, retries, replay, every type of event',
    text: webhooksGuide(),
  },
  {
    file: 'migrating-from-resend.md',
    title: 'Migrating from Resend',
    summary: 'what stays as it is, what differs, domains, webhooks, contacts, broadcasts',
    text: resendGuide(baseUrl),
  },
]

/**
 * Makes a separate page: headings move up one level, and links to the reference lead to `api.md`.
 */
export function standAlone({ text }: Guide): string {
  const raised = text.replaceAll(/^##(#*) /gm, '#$1 ')
  const own = new Set(
    [...raised.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading)),
  )
  return `${raised.replaceAll(/\]\(#([^)]+)\)/g, (link, target: string) => (own.has(target) ? link : `](api.md#${target})`))}\n`
}
