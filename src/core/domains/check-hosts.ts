/** Validates a domain and the hosts below it: one for return paths and one for links. */

export interface DomainHosts {
  /** As A-labels; null is the default. */
  returnPathHost: string | null
  trackingHost: string | null
}

export interface HostProblem {
  rule: 'domain_too_long' | 'below_domain' | 'same_host'
  host: string
}

/** The longest DKIM key name of a domain puts 22 bytes in front of it; a name has at most 253 (RFC 1035 2.3.4). */
const domainMax = 231

export function checkHosts(name: string, hosts: DomainHosts): HostProblem | null {
  if (name.length > domainMax) return { rule: 'domain_too_long', host: name }
  for (const host of [hosts.returnPathHost, hosts.trackingHost])
    if (host !== null && !host.endsWith(`.${name}`)) return { rule: 'below_domain', host }
  const returnPathHost = hosts.returnPathHost ?? `bounce.${name}`
  const trackingHost = hosts.trackingHost ?? `links.${name}`
  // RFC 1034 3.6.2: an alias allows no other record at its name.
  return returnPathHost === trackingHost ? { rule: 'same_host', host: trackingHost } : null
}
