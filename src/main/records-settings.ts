/**
 * The values that DNS records of customers' domains must contain: the sources of mail, and the host that receives
 * bounces.
 */
import type { Config } from '../config.ts'
import { providerKinds } from '../providers/registry.ts'

export function recordsSettings(config: Config): { spf: string[]; bounceHost: string | null } {
  const kind = providerKinds[config.provider]
  return {
    spf: config.spf ?? kind.spfTerms(config),
    bounceHost: kind.bounceHost?.(config) ?? inboundHost(config),
  }
}

/** An MX record names a host with an address (RFC 2181 10.3): ours in EHLO is one. */
const inboundHost = ({ inboundDomain, heloName }: Config): string | null =>
  inboundDomain === null ? null : (heloName ?? inboundDomain)
