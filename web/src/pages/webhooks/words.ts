/** These functions word failures, event types and the health of webhooks for the reader. */
import type { TFunction } from 'i18next'
import type { EventType } from '../../../../src/contract/events.ts'
import type { Failure, WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { keyOf } from '../../parts/key-of.ts'
import type { Tone } from '../../parts/tone.ts'

type Translate = TFunction<'webhooks'>

/** One sentence: what went wrong, so that the operator of the receiver can act on it. */
export const sayFailure = ({ kind, status, error }: Failure, t: Translate): string =>
  t(keyOf('failure', kind), { status: status ?? '', error })

/** When events of this type happen. */
export const sayEvent = (type: EventType, t: Translate): string => t(keyOf('event', type))

/** How a webhook fares, at a glance. */
export function sayHealth(health: WebhookHealth): { tone: Tone; key: string } {
  if (health.disabled)
    return health.disabled.because === 'failing' ? { tone: 'bad', key: 'disabledFailing' } : { tone: 'quiet', key: 'disabled' }
  if (health.failing_since !== null) return { tone: 'bad', key: 'failing' }
  if (health.last_failure?.next_attempt_at) return { tone: 'warning', key: 'retrying' }
  if (health.failed > 0) return { tone: 'warning', key: 'someFailed' }
  return health.delivered === 0 ? { tone: 'quiet', key: 'nothingYet' } : { tone: 'good', key: 'healthy' }
}
