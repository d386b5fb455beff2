/**
 * The values that DNS records of customers' domains must contain: where mail leaves from, and where bounces come back
 * to.
 */
import { hostname } from 'node:os'
import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { isLoopback } from '../mail/smtp-client/relay.ts'
import { parseSmtpUrl } from '../providers/smtp-relay.ts'

export function recordsSettings(config: Config): { spf: string[]; bounceHost: string | null } {
  return { spf: config.spf ?? spfTerms(config), bounceHost: bounceHost(config) }
}

/** Terms of SPF (RFC 7208 5) that cover what mail leaves from; none where nothing of it is known. */
function spfTerms(config: Config): string[] {
  switch (config.provider) {
    case 'direct-mx':
      if (config.sourceAddresses.length > 0) return config.sourceAddresses.map(addressTerm)
      return nameTerms(config.heloName ?? hostname())
    case 'smtp-relay': {
      const { host } = parseSmtpUrl(config.smtpUrl ?? '')
      if (isLoopback(host)) return nameTerms(config.heloName ?? hostname())
      return isIP(host) === 0 ? nameTerms(host) : [addressTerm(host)]
    }
    case 'amazon-ses':
      return ['include:amazonses.com']
    case 'local-capture':
      return []
    default:
      return config.provider satisfies never
  }
}

const addressTerm = (address: string): string => `${isIP(address) === 6 ? 'ip6' : 'ip4'}:${address}`
const nameTerms = (name: string): string[] => (name.includes('.') ? [`a:${name}`] : [])

/**
 * An MX record names a host with an address (RFC 2181 10.3): ours in EHLO is one. Amazon SES hears the bounces of its own
 * return paths itself.
 */
function bounceHost(config: Config): string | null {
  if (config.provider === 'amazon-ses' && config.ses.region !== null) return `feedback-smtp.${config.ses.region}.amazonses.com`
  return config.inboundDomain === null ? null : (config.heloName ?? config.inboundDomain)
}
