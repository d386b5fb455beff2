/** These functions word failures, event types and the health of webhooks for the reader. */
import type { ParseKeys, TFunction } from 'i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { Failure, WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { keyOf } from '../../parts/key-of.ts'
import type { Tone } from '../../parts/tone.ts'

type Translate = TFunction<'webhooks'>

/** Returns one sentence about the failure, which lets the operator of the receiver mend it. */
export const sayFailure = ({ kind, status, error }: Failure, t: Translate): string =>
  t(keyOf('failure', kind), { status: status ?? '', error })

/** Returns the words for the cause of events of this type. */
export const sayEvent = (type: EventType, t: Translate): string => t(keyOf('event', type))

/** Returns the tone and the word for a webhook's health. */
export function sayHealth(health: WebhookHealth): { tone: Tone; key: ParseKeys<'webhooks'> } {
  if (health.disabled)
    return health.disabled.because === 'failing'
      ? { tone: 'bad', key: 'disabledFailing' }
      : { tone: 'quiet', key: 'disabled' }
  if (health.failing_since !== null) return { tone: 'bad', key: 'failing' }
  if (health.last_failure?.next_attempt_at) return { tone: 'warning', key: 'retrying' }
  if (health.failed > 0) return { tone: 'warning', key: 'someFailed' }
  return health.delivered === 0
    ? { tone: 'quiet', key: 'nothingYet' }
    : { tone: 'good', key: 'healthy' }
}
