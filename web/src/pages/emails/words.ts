/** What the service says of messages in one word, in the reader's words. */
import type { TFunction } from 'i18next'
import type { AnswerMeaning, Happening, MessageLine } from '../../../../src/contract/workspace/messages.ts'
import type { Tone } from '../../parts/Status.tsx'

type Translate = TFunction<'emails'>

export const eventWords: Record<MessageLine['last_event'], { tone: Tone; key: string }> = {
  queued: { tone: 'busy', key: 'queued' },
  scheduled: { tone: 'busy', key: 'scheduled' },
  sent: { tone: 'busy', key: 'sent' },
  delivered: { tone: 'good', key: 'delivered' },
  bounced: { tone: 'bad', key: 'bounced' },
  complained: { tone: 'bad', key: 'complained' },
  failed: { tone: 'bad', key: 'failed' },
  suppressed: { tone: 'warning', key: 'suppressed' },
  canceled: { tone: 'quiet', key: 'canceled' },
  in_doubt: { tone: 'warning', key: 'inDoubt' },
}

/** As the filter offers them; each is the key of its text. */
export const emailStatuses = [
  ...(['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'] as const),
] satisfies MessageLine['status'][]

export const happeningWords: Record<Happening['what'], { tone: Tone; key: string }> = {
  accepted: { tone: 'quiet', key: 'happenedAccepted' },
  scheduled: { tone: 'busy', key: 'happenedScheduled' },
  canceled: { tone: 'quiet', key: 'happenedCanceled' },
  deferred: { tone: 'warning', key: 'happenedDeferred' },
  in_doubt: { tone: 'warning', key: 'happenedInDoubt' },
  sent: { tone: 'busy', key: 'happenedSent' },
  delivered: { tone: 'good', key: 'happenedDelivered' },
  bounced: { tone: 'bad', key: 'happenedBounced' },
  complained: { tone: 'bad', key: 'happenedComplained' },
  failed: { tone: 'bad', key: 'happenedFailed' },
  suppressed: { tone: 'warning', key: 'happenedSuppressed' },
  opened: { tone: 'good', key: 'happenedOpened' },
  clicked: { tone: 'good', key: 'happenedClicked' },
  unsubscribed: { tone: 'warning', key: 'happenedUnsubscribed' },
  next_attempt: { tone: 'busy', key: 'happenedNextAttempt' },
}

const meaningKeys: Record<AnswerMeaning, string> = {
  accepted: 'meansAccepted',
  unknown_address: 'meansUnknownAddress',
  unknown_domain: 'meansUnknownDomain',
  mailbox_full: 'meansMailboxFull',
  mailbox_closed: 'meansMailboxClosed',
  message_too_large: 'meansTooLarge',
  greylisted: 'meansGreylisted',
  too_fast: 'meansTooFast',
  spam: 'meansSpam',
  blocked: 'meansBlocked',
  authentication: 'meansAuthentication',
  refused_by_policy: 'meansPolicy',
  not_reachable: 'meansNotReachable',
  busy: 'meansBusy',
  refused_for_now: 'meansRefusedForNow',
  refused: 'meansRefused',
}

const suppressionKeys: Record<string, string> = {
  unsubscribe: 'closedUnsubscribe',
  manual: 'closedManual',
  bounce: 'closedBounce',
  complaint: 'closedComplaint',
}

const causeKeys: Partial<Record<string, string>> = {
  cancelled: 'meansCanceled',
  erased: 'meansErased',
  doubt_ended: 'meansNoNews',
  parked: 'meansParked',
}

/** One sentence of why it failed, or of what a server answered; empty where the words themselves are all there is. */
export function sayWhy({ answer, cause, suppressed_for: reason }: Happening, t: Translate): string {
  if (cause === 'suppressed') return t(suppressionKeys[reason ?? ''] ?? 'closedManual')
  const key = causeKeys[cause ?? '']
  return key === undefined ? sayMeaning(answer?.meaning ?? null, t) : t(key)
}

/** One sentence of what a server answered. */
export const sayMeaning = (meaning: AnswerMeaning | null, t: Translate): string =>
  meaning === null ? '' : t(meaningKeys[meaning])

const visitorKeys = { person: 'byPerson', relay: 'byRelay', scanner: 'byScanner' } as const
const deliveryKeys = { feedback: 'knownByServer', open: 'knownByOpen', click: 'knownByClick', silence: 'knownBySilence' } as const

/** Who did it, or by what it is known. */
export function sayHow({ visitor, by }: Pick<Happening, 'visitor' | 'by'>, t: Translate): string {
  if (visitor !== null) return t(visitorKeys[visitor])
  return by === null ? '' : t(deliveryKeys[by])
}
