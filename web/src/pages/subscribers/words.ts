/** What the service says of contacts in one word, in the reader's words. */
import type { ImportEntry } from '../../../../src/contract/workspace/imports.ts'
import type { SubscriberStatus } from '../../../../src/contract/subscribers.ts'
import type { Got } from '../../api/client.ts'
import type { Tone } from '../../parts/Status.tsx'

/** All that is known of one address. */
export type KnownContact = Got<'getContact'>

export const subscriberStatuses = [
  'subscribed',
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
] as const satisfies SubscriberStatus[]
export const sources = ['api', 'form', 'import', 'workspace'] as const

const statusTones: Record<SubscriberStatus, Tone> = {
  subscribed: 'good',
  pending: 'busy',
  unsubscribed: 'quiet',
  bounced: 'bad',
  complained: 'bad',
}

export const toneOf = (status: SubscriberStatus): Tone => statusTones[status]

/** `statusSubscribed`, `sourceApi`: the word behind a prefix, as the texts name it. */
export const keyOf = (prefix: string, word: string): string =>
  `${prefix}${word
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`

const mailTones: Record<string, Tone> = {
  queued: 'busy',
  sent: 'busy',
  delivered: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
  suppressed: 'quiet',
}

export const mailTone = (status: string): Tone => mailTones[status] ?? 'quiet'

const importTones: Record<ImportEntry['state'], Tone> = {
  kept: 'quiet',
  trying: 'busy',
  tried: 'quiet',
  importing: 'busy',
  stopped: 'warning',
  imported: 'good',
  failed: 'bad',
}

export const importTone = (state: ImportEntry['state']): Tone => importTones[state]

export const fullName = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }): string =>
  [firstName, lastName].filter(Boolean).join(' ')
