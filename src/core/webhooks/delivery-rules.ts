/**
 * Defines limits of webhook delivery, besides the retry schedule (db/webhooks/webhook-claims.ts)
 * and the call's time (attempt-delivery.ts).
 */
import type { ServiceSettings } from '../context.ts'
import { callMs } from './attempt-delivery.ts'

/**
 * A webhook that failed for this long without one success is disabled, if its workspace chose that.
 */
export const failingSeconds = 3 * 86_400

/** A claim lasts longer than its call, since no process renews it. */
export const leaseSecondsOf = ({ leaseSeconds }: Pick<ServiceSettings, 'leaseSeconds'>): number =>
  Math.max(leaseSeconds, callMs / 1000 + 10)
