/**
 * Keeps pages of strangers out, which a browser would let speak to a service of this machine or network under a name of their
 * own (DNS rebinding; MCP, Streamable HTTP: Security). Such an attack always comes by a name, and says its origin.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { leadsHere } from '../identity/session-token.ts'

/** Whether Host is a name of ours, and Origin, where there is one, this service itself. */
export function isFromHere({ host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>, baseUrl: string): boolean {
  if (!isOurHost(host, baseUrl)) return false
  if (origin === undefined) return true
  const from = URL.parse(origin)
  const own = new URL(baseUrl)
  // The scheme counts under every name of ours: a page over plain HTTP may be a stranger's where we are reached by HTTPS, and the reverse.
  return (
    from !== null && from.protocol === own.protocol && (from.host === own.host || from.host === hostOf(host, own.protocol)?.host)
  )
}

/**
 * Whether a page says that it is ours: its origin is the base address's, scheme and all, since whoever writes plain HTTP on the wire
 * could be a page of the same host. A service of this machine alone goes by more than one name (`localhost`, `127.0.0.1`).
 */
export function isOwnPage(headers: Pick<IncomingHttpHeaders, 'host' | 'origin'>, baseUrl: string): boolean {
  if (headers.origin === undefined || !isFromHere(headers, baseUrl)) return false
  return headers.origin === new URL(baseUrl).origin || leadsHere(baseUrl)
}

/** The base address's name; else a bare address or a name without a dot, such as `localhost`: those are nobody's to re-bind. */
function isOurHost(host: string | undefined, baseUrl: string): boolean {
  const asked = hostOf(host, new URL(baseUrl).protocol)
  if (!asked) return false
  const name = asked.hostname.replace(/^\[(.*)\]$/, '$1')
  return name === new URL(baseUrl).hostname || !name.includes('.') || isIP(name) !== 0
}

/** Read under the scheme that we are reached by, so that its usual port may be left out on either side. */
const hostOf = (host: string | undefined, protocol: string): URL | null => {
  const url = URL.parse(`${protocol}//${host ?? ''}`)
  return url && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === '' ? url : null
}
