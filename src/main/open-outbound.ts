/**
 * Opens connections to addresses that others choose: all public ones, those that the operator allows, and this
 * machine in a local installation.
 */
import type { Config } from '../config.ts'
import { isLoopback } from '../mail/smtp-client/relay.ts'
import { createOutbound, type Outbound } from '../outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../outbound/check-address.ts'
import { resolveBy } from '../outbound/resolve-by.ts'
import { openResolver } from './open-resolver.ts'

export function openOutbound(config: Config): Outbound {
  const { host, allowedRanges, dnsServers } = config
  const ranges = [...allowedRanges, ...(isLoopback(host) ? loopbackRanges : [])]
  return createOutbound({
    ...{ allowed: subnetList(ranges), allowsRanges: ranges.length > 0, userAgent: 'Facteur' },
    // Unless the operator names servers, the system's resolver also knows names outside DNS.
    ...(dnsServers !== null && { resolve: resolveBy(openResolver(config)) }),
  })
}
