/** Numbers of delivering, beside the ladder (db/webhooks/webhook-claims.ts) and the time of one call (attempt-delivery.ts). */
import type { ServiceSettings } from '../context.ts'
import { callMs } from './attempt-delivery.ts'

/** A webhook that failed for so long without one success is disabled, where its workspace asked for that. */
export const failingSeconds = 3 * 86_400

/** How long events and the journal are kept. */
export const keptDays = 30

/** A claim outlives its call, which nobody prolongs. */
export const leaseSecondsOf = ({ leaseSeconds }: Pick<ServiceSettings, 'leaseSeconds'>): number =>
  Math.max(leaseSeconds, callMs / 1000 + 10)
