/** Opens the DNS resolver: the operator's name servers, or the system's. */
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Resolver } from '../dns/lookup.ts'
import { createResolver } from '../dns/resolver.ts'
import { systemServers } from '../dns/servers.ts'

/** As patient as the resolvers of most systems (two rounds; RFC 1123 6.1.3.3 asks for more than one). */
const timeoutMs = 2_500

export const openResolver = ({ dnsServers }: Config): Resolver =>
  createResolver({ servers: dnsServers ?? systemServers(), timeoutMs, clock: systemClock })
