/** Guides: parts of the reference that also stand alone, as `docs/webhooks.md` and `docs/migrating-from-resend.md`. */
import { anchor } from './markdown.ts'
import { resendGuide } from './resend-guide.ts'
import { webhooksGuide } from './webhooks-guide.ts'

export interface Guide {
  /** Its own file, beside `api.md`. */
  file: string
  title: string
  summary: string
  /** As a part of the reference, from its `##` heading on. */
  text: string
}

export const guides = (baseUrl: string): Guide[] => [
  {
    file: 'webhooks.md',
    title: 'Receiving webhooks',
    summary: 'what arrives, verification in several languages, retries, replay, every type of event',
    text: webhooksGuide(),
  },
  {
    file: 'migrating-from-resend.md',
    title: 'Migrating from Resend',
    summary: 'what stays as it is, what differs, domains, webhooks, contacts, broadcasts',
    text: resendGuide(baseUrl),
  },
]

/** A page of its own: headings one step higher, and links to the rest of the reference lead into `api.md`. */
export function standAlone({ text }: Guide): string {
  const raised = text.replaceAll(/^##(#*) /gm, '#$1 ')
  const own = new Set([...raised.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading)))
  return `${raised.replaceAll(/\]\(#([^)]+)\)/g, (link, target: string) => (own.has(target) ? link : `](api.md#${target})`))}\n`
}
