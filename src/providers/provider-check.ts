/** Defines the findings of `doctor` and `provider show`, about a provider or anything else. */
import type { Clock } from '../ground/clock.ts'
import type { Database } from '../database/client/database.ts'
import type { Outbound } from '../ground/outbound/create-outbound.ts'

export interface Check {
  name: string
  /** A warning needs attention and stops nothing; a problem stops something. */
  status: 'ok' | 'warning' | 'problem'
  message: string
  /** The remedy; null where there is nothing to do. */
  next: string | null
}

export const passed = (name: string, message: string): Check => ({
  name,
  status: 'ok',
  message,
  next: null,
})
export const warned = (name: string, message: string, next: string): Check => ({
  name,
  status: 'warning',
  message,
  next,
})
export const failed = (name: string, message: string, next: string): Check => ({
  name,
  status: 'problem',
  message,
  next,
})

/** The input of a provider's check. */
export interface CheckParts {
  clock: Clock
  outbound: Outbound
  signal: AbortSignal
  baseUrl: string
  /** The name of a setting in its source: a variable, or a flag. */
  nameOf(setting: string): string
  /** The operator's rate, messages a second; null is no limit. */
  ratePerSecond: number | null
  /** How the rate is set. */
  rateSetting: string
}

export type FeedbackCheckParts = Pick<
  CheckParts,
  'clock' | 'outbound' | 'signal' | 'baseUrl' | 'nameOf'
> & { db: Database }
