/** Tells browsers to use TLS alone for our host (RFC 6797). */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sets the header on answers of the base URL's own host, where that is reached by https. Other
 * hosts belong to customers, whose names of links lead here, and nothing is said of names below
 * ours. Null where there is nothing to say.
 */
export function createTransportSecurity(
  baseUrl: string,
): ((request: IncomingMessage, response: ServerResponse) => void) | null {
  const { protocol, host, port } = new URL(baseUrl)
  if (protocol !== 'https:') return null
  // A client may name the default port too (RFC 9110 7.2).
  const hosts = new Set(port === '' ? [host, `${host}:443`] : [host])
  return ({ headers }, response) => {
    // RFC 6797 7.2: never over plain HTTP, which a proxy names.
    if (hosts.has(headers.host?.toLowerCase() ?? '') && headers['x-forwarded-proto'] !== 'http')
      response.setHeader('Strict-Transport-Security', 'max-age=31536000')
  }
}
