/** Opens a provider from its settings, for the deployment or for one workspace. */
import type { Relay } from '../mail/smtp-client/relay.ts'
import { createAmazonSes } from './amazon-ses/amazon-ses.ts'
import type { AmazonSesOptions } from './amazon-ses/amazon-ses.ts'
import type { SesSettings } from './amazon-ses/ses-settings.ts'
import { createDirectMx } from './direct-mx/create-direct-mx.ts'
import type { DirectMxOptions } from './direct-mx/create-direct-mx.ts'
import { createLocalCapture } from './local-capture.ts'
import type { Provider } from './provider.ts'
import { createSmtpRelay } from './smtp-relay.ts'

/** The chosen settings, secrets included. */
export type ProviderChoice =
  | { type: 'local-capture' }
  | { type: 'smtp-relay'; relay: Relay; connections: number }
  | { type: 'direct-mx' }
  | { type: 'amazon-ses'; settings: SesSettings }

/** The dependencies of providers. */
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

/** The dependencies that a relay and direct delivery share: the host name, and the keys that sign. */
const signing = ({ clock, log, sign, heloName }: DirectMxOptions) => ({
  clock,
  log,
  sign,
  ...(heloName !== undefined && { heloName }),
})
