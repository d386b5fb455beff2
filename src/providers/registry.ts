/** Registers the kinds of providers, in the order in which help names them. */
import type { ProviderName } from '../ground/provider-names.ts'
import { amazonSesKind } from './amazon-ses/amazon-ses-kind.ts'
import { directMxKind } from './direct-mx/direct-mx-kind.ts'
import { localCaptureKind } from './local-capture/local-capture-kind.ts'
import type { ProviderKind } from './provider-kind.ts'
import { smtpRelayKind } from './smtp-relay/smtp-relay-kind.ts'

export const providerKinds: Record<ProviderName, ProviderKind> = {
  'smtp-relay': smtpRelayKind,
  'amazon-ses': amazonSesKind,
  'direct-mx': directMxKind,
  'local-capture': localCaptureKind,
}

export const isProviderName = (name: unknown): name is ProviderName =>
  typeof name === 'string' && Object.hasOwn(providerKinds, name)

/**
 * How mail of a kind of provider leaves: not at all, to the recipients' hosts by our own delivery,
 * or by somebody else's.
 */
export type DeliveryWay = 'captures' | 'direct' | 'relayed'

export function deliveryWayOf(name: ProviderName): DeliveryWay {
  const { captures, dialsHosts } = providerKinds[name]
  return captures ? 'captures' : dialsHosts ? 'direct' : 'relayed'
}
