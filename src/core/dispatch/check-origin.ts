/**
 * Refuses requests from foreign pages that a browser sends to a service on this machine or network
 * under the page's own host name. This is DNS rebinding (MCP, Streamable HTTP: Security). Such an
 * attack always uses a host name and sends its Origin.
 */
import { leadsHere } from '../../ground/is-loopback.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/** Whether Host is a name of ours, and Origin, if present, is this service. */
export function isFromHere(
  { host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
  baseUrl: string,
): boolean {
  if (!isOurHost(host, baseUrl)) return false
  if (origin === undefined) return true
  const from = URL.parse(origin)
  const own = new URL(baseUrl)
  // The scheme must match too: a page over plain HTTP may be foreign when the service uses HTTPS,
  // and the reverse.
  return (
    from !== null &&
    from.protocol === own.protocol &&
    (from.host === own.host || from.host === hostOf(host, own.protocol)?.host)
  )
}

/**
 * Whether the request comes from a page of ours: its origin equals the base address's, with the
 * scheme. An attacker who writes plain HTTP on the wire could serve a page of the same host. A
 * service that only this machine reaches may have several names (`localhost`, `127.0.0.1`).
 */
export function isOwnPage(
  headers: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
  baseUrl: string,
): boolean {
  if (headers.origin === undefined || !isFromHere(headers, baseUrl)) return false
  return headers.origin === new URL(baseUrl).origin || leadsHere(baseUrl)
}

/**
 * Accepts the base address's name, an IP address, or a name without a dot such as `localhost`:
 * those cannot be rebound.
 */
function isOurHost(host: string | undefined, baseUrl: string): boolean {
  const requested = hostOf(host, new URL(baseUrl).protocol)
  if (!requested) return false
  const name = requested.hostname.replace(/^\[(.*)\]$/, '$1')
  return name === new URL(baseUrl).hostname || !name.includes('.') || isIP(name) !== 0
}

/** Parses Host under the service's own scheme, so that either side may omit the default port. */
const hostOf = (host: string | undefined, protocol: string): URL | null => {
  const url = URL.parse(`${protocol}//${host ?? ''}`)
  return url && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === ''
    ? url
    : null
}
