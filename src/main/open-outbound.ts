/** Opens the ways outward: connections to addresses that others choose, and the DNS resolver. */
import { leadsHere } from '../ground/is-loopback.ts'
import { systemClock } from '../ground/clock.ts'
import type { Config } from '../ground/config.ts'
import type { Resolver } from '../ground/dns/lookup.ts'
import { createResolver } from '../ground/dns/resolver.ts'
import { systemServers } from '../ground/dns/servers.ts'
import { createOutbound, type Outbound } from '../ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../ground/outbound/check-address.ts'
import { resolveBy } from '../ground/outbound/resolve-by.ts'

/**
 * To all public addresses, those that the operator allows, and this machine in a local
 * installation. The base URL says whether it is local: behind a proxy, a service that listens on
 * loopback serves everybody, and programs beside it have ports that trust loopback.
 */
export function openOutbound(config: Config): Outbound {
  const { baseUrl, allowedRanges, dnsServers } = config
  const ranges = [...allowedRanges, ...(leadsHere(baseUrl) ? loopbackRanges : [])]
  return createOutbound({
    ...{ allowed: subnetList(ranges), allowsRanges: ranges.length > 0, userAgent: 'Facteur' },
    // Unless the operator names servers, the system's resolver also knows names outside DNS.
    ...(dnsServers !== null && { resolve: resolveBy(openResolver(config)) }),
  })
}

/**
 * As patient as the resolvers of most systems (two rounds; RFC 1123 6.1.3.3 asks for more than
 * one).
 */
const timeoutMs = 2_500

/** The operator's name servers, or the system's. */
export const openResolver = ({ dnsServers }: Config): Resolver =>
  createResolver({ servers: dnsServers ?? systemServers(), timeoutMs, clock: systemClock })
