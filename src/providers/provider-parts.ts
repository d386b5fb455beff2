/** The parts that kinds of providers are opened with; a kind takes those that it needs. */
import type { Clock } from '../ground/clock.ts'
import type { Outbound } from '../ground/outbound/create-outbound.ts'
import type { Secrets } from '../ground/secrets.ts'
import type { SesSettings } from './amazon-ses/ses-settings.ts'
import type { DirectMxOptions } from './direct-mx/create-direct-mx.ts'

export interface ProviderParts {
  clock: Clock
  outbound: Outbound
  /** Keys for providers that sign mail themselves. */
  secrets: Pick<Secrets, 'derive'>
  directMx: DirectMxOptions
}

/** An account whose notices come: each kind of provider that has some adds its own. */
export type FeedbackAccount = SesSettings
