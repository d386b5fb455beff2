/** The way out to what others name: everywhere that is public, and to this machine where the service is for this machine alone. */
import type { Config } from '../config.ts'
import { isLoopback } from '../mail/smtp-client/relay.ts'
import { createOutbound } from '../outbound/create-outbound.ts'
import type { Outbound } from '../outbound/create-outbound.ts'
import { listOf, loopbackRanges } from '../outbound/judge-address.ts'

export const openOutbound = ({ host }: Config): Outbound =>
  createOutbound({ allowed: listOf(isLoopback(host) ? loopbackRanges : []), userAgent: 'Facteur' })
