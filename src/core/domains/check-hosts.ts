/** Whether a domain and the hosts below it can be what they are to be: a return path and a host of links. */

export interface DomainHosts {
  /** As A-labels; null is the usual one. */
  returnPathHost: string | null
  trackingHost: string | null
}

export interface HostProblem {
  rule: 'domain_too_long' | 'below_domain' | 'same_host'
  host: string
}

/** The names of DKIM keys, the longest of a domain's, have 22 octets in front of it; a name has 253 (RFC 1035 2.3.4). */
const domainMax = 231

export function checkHosts(name: string, hosts: DomainHosts): HostProblem | null {
  if (name.length > domainMax) return { rule: 'domain_too_long', host: name }
  for (const host of [hosts.returnPathHost, hosts.trackingHost])
    if (host !== null && !host.endsWith(`.${name}`)) return { rule: 'below_domain', host }
  const returnPathHost = hosts.returnPathHost ?? `bounce.${name}`
  const trackingHost = hosts.trackingHost ?? `links.${name}`
  // RFC 1034 3.6.2: nothing else may stand at the name of an alias.
  return returnPathHost === trackingHost ? { rule: 'same_host', host: trackingHost } : null
}
