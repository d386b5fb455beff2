/** What the service says of webhooks in one word, in the reader's words. */
import type { TFunction } from 'i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { DeliveryStatus } from '../../../../src/contract/webhooks.ts'
import type { Failure, FailureKind, WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import type { Tone } from '../../parts/tone.ts'

type Translate = TFunction<'webhooks'>

const failureKeys: Record<FailureKind, string> = {
  answered: 'failureAnswered',
  redirected: 'failureRedirected',
  unfinished: 'failureUnfinished',
  broken: 'failureBroken',
  timeout: 'failureTimeout',
  unknown_host: 'failureUnknownHost',
  dns: 'failureDns',
  refused: 'failureRefused',
  closed: 'failureClosed',
  unreachable: 'failureUnreachable',
  tls: 'failureTls',
  stopped: 'failureStopped',
  lost: 'failureLost',
  scheme: 'refusalScheme',
  credentials: 'refusalCredentials',
  address: 'refusalAddress',
  plain_http: 'refusalPlainHttp',
  other: 'failureOther',
}

/** One sentence: what went wrong, so that the operator of the receiver can act on it. */
export const sayFailure = ({ kind, status, error }: Failure, t: Translate): string =>
  t(failureKeys[kind], { status: status ?? '', error })

const urlKeys = {
  uri: 'refusalUri',
  scheme: 'refusalScheme',
  credentials: 'refusalCredentials',
  address: 'refusalAddress',
  plain_http: 'refusalPlainHttp',
} as const

export const sayUrlRefusal = (refusal: keyof typeof urlKeys, t: Translate): string => t(urlKeys[refusal])

const eventKeys: Record<EventType, string> = {
  'email.delivered': 'eventEmailDelivered',
  'email.opened': 'eventEmailOpened',
  'email.clicked': 'eventEmailClicked',
  'email.bounced': 'eventEmailBounced',
  'email.complained': 'eventEmailComplained',
  'subscriber.created': 'eventSubscriberCreated',
  'subscriber.unsubscribed': 'eventSubscriberUnsubscribed',
  'email.sent': 'eventEmailSent',
  'email.failed': 'eventEmailFailed',
  'subscriber.confirmed': 'eventSubscriberConfirmed',
  'campaign.sent': 'eventCampaignSent',
  'suppression.created': 'eventSuppressionCreated',
}

/** When events of this type happen. */
export const sayEvent = (type: EventType, t: Translate): string => t(eventKeys[type])

export const eventTypes = Object.keys(eventKeys) as EventType[]

export const deliveryWords: Record<DeliveryStatus, { tone: Tone; key: string }> = {
  delivered: { tone: 'good', key: 'delivered' },
  pending: { tone: 'busy', key: 'waiting' },
  failed: { tone: 'bad', key: 'failed' },
}

/** How a webhook fares, at a glance. */
export function sayHealth(health: WebhookHealth): { tone: Tone; key: string } {
  if (health.disabled)
    return health.disabled.because === 'failing' ? { tone: 'bad', key: 'disabledFailing' } : { tone: 'quiet', key: 'disabled' }
  if (health.failing_since !== null) return { tone: 'bad', key: 'failing' }
  if (health.last_failure?.next_attempt_at) return { tone: 'warning', key: 'retrying' }
  if (health.failed > 0) return { tone: 'warning', key: 'someFailed' }
  return health.delivered === 0 ? { tone: 'quiet', key: 'nothingYet' } : { tone: 'good', key: 'healthy' }
}
