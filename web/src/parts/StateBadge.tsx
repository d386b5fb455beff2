/**
 * A state of the contract as a badge: the word that the texts have for it, in the tone that it has
 * on every page.
 */
import type { SubscriberStatus } from '../../../src/contract/subscribers.ts'
import type { DeliveryStatus } from '../../../src/contract/webhooks.ts'
import type { ApiKey } from '../../../src/contract/workspace/api-keys.ts'
import type { Domain } from '../../../src/contract/workspace/domains.ts'
import type { ImportEntry } from '../../../src/contract/workspace/imports.ts'
import type { Happening, MessageLine } from '../../../src/contract/workspace/messages.ts'
import type { ItemOf } from '../api/use-ask.ts'
import { keyOf, type KeyOf } from './key-of.ts'
import { Status } from './Status.tsx'
import type { Tone } from './tone.ts'

interface StateBadgeProps<Prefix extends string, Word extends string> {
  /** The `t` of the page's area of texts. */
  t: (key: KeyOf<Prefix, Word>) => string
  /** The key of the state's text begins with this: `status` of `statusInDoubt`. */
  prefix: Prefix
  state: Word
  /** The tone where the state means something else than on other pages. */
  tone?: Tone
}

export function StateBadge<const Prefix extends string, Word extends string>({
  t,
  prefix,
  state,
  tone = toneOf(state),
}: StateBadgeProps<Prefix, Word>) {
  return <Status tone={tone}>{t(keyOf(prefix, state))}</Status>
}

type State =
  | (MessageLine['last_event'] | Happening['what'] | DeliveryStatus)
  | (SubscriberStatus | ImportEntry['state'] | ItemOf<'listSuppressionImports'>['status'])
  | (ApiKey['status'] | NonNullable<Domain['records'][number]['status']>)

const tones: Record<State, Tone> = {
  ...all('good', [
    'active',
    'clicked',
    'delivered',
    'finished',
    'found',
    'imported',
    'opened',
    'subscribed',
  ]),
  ...all('busy', [
    'importing',
    'next_attempt',
    'pending',
    'queued',
    'running',
    'scheduled',
    'sent',
    'trying',
  ]),
  ...all('quiet', ['accepted', 'canceled', 'kept', 'revoked', 'tried', 'unanswered']),
  ...all('warning', [
    'deferred',
    'expired',
    'in_doubt',
    'interrupted',
    'missing',
    'stopped',
    'suppressed',
    'unread',
    'unsubscribed',
  ]),
  ...all('bad', ['bounced', 'complained', 'failed', 'wrong']),
}

function all<Word extends string>(tone: Tone, words: readonly Word[]): Record<Word, Tone> {
  // Its entries are these words.
  return Object.fromEntries(words.map((word) => [word, tone])) as Record<Word, Tone>
}

const byWord: ReadonlyMap<string, Tone> = new Map(Object.entries(tones))

/** Some answers have the state as any text; an unknown one is quiet. */
export const toneOf = (state: string): Tone => byWord.get(state) ?? 'quiet'
