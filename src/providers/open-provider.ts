/** Opens a provider from what an operator chose, for the deployment or for one workspace. */
import type { Relay } from '../mail/smtp-client/relay.ts'
import { createAmazonSes } from './amazon-ses/amazon-ses.ts'
import type { AmazonSesOptions } from './amazon-ses/amazon-ses.ts'
import type { SesSettings } from './amazon-ses/ses-settings.ts'
import { createDirectMx } from './direct-mx/create-direct-mx.ts'
import type { DirectMxOptions } from './direct-mx/create-direct-mx.ts'
import { createLocalCapture } from './local-capture.ts'
import type { Provider } from './provider.ts'
import { createSmtpRelay } from './smtp-relay.ts'

/** What was chosen, secrets included. */
export type ProviderChoice =
  | { type: 'local-capture' }
  | { type: 'smtp-relay'; relay: Relay; connections: number }
  | { type: 'direct-mx' }
  | { type: 'amazon-ses'; settings: SesSettings }

/** What providers are given. */
export type ProviderPorts = Omit<AmazonSesOptions, 'settings'> & { directMx: DirectMxOptions }

export function openProvider(ports: ProviderPorts, choice: ProviderChoice): Provider {
  switch (choice.type) {
    case 'local-capture':
      return createLocalCapture(ports.clock)
    case 'smtp-relay':
      return createSmtpRelay({ ...signing(ports.directMx), ...choice })
    case 'direct-mx':
      return createDirectMx(ports.directMx)
    case 'amazon-ses':
      return createAmazonSes({ ...ports, settings: choice.settings })
    default:
      return choice satisfies never
  }
}

/** What a relay shares with our own delivery: it goes by the same name, and its mail is signed by the same keys. */
const signing = ({ clock, log, sign, heloName }: DirectMxOptions) => ({
  clock,
  log,
  sign,
  ...(heloName !== undefined && { heloName }),
})
