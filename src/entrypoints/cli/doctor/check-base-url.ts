/** Checks that the public address in links and documents leads to the service. */
import { lookup } from 'node:dns/promises'
import { isLoopback } from '../../../ground/is-loopback.ts'
import type { Config } from '../../../ground/config.ts'
import { errorCodeOf, messageOf, passed, failed, warned, type Check } from './check.ts'
import { askMap } from './is-facteur.ts'

const withinMs = 5_000

/** `running`: whether the service answers at its own port, so that it should answer here too. */
export async function diagnoseBaseUrl({ baseUrl }: Config, running: boolean): Promise<Check> {
  const { hostname, protocol } = new URL(baseUrl)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const missing = await lookup(host).then(() => null, errorCodeOf)
  if (missing !== null)
    return failed(
      'base URL',
      `${baseUrl}: the name ${host} is unknown (${missing})`,
      'Set FACTEUR_BASE_URL, or make the name known.',
    )
  const answer = running ? await askMap(baseUrl, withinMs) : 'facteur'
  if (answer !== 'facteur') {
    const message =
      'status' in answer ? `something else answers (${answer.status})` : messageOf(answer.error)
    return failed(
      'base URL',
      `${baseUrl} does not lead to this service: ${message}`,
      'Set FACTEUR_BASE_URL to the address that people reach it by, or mend the proxy before it.',
    )
  }
  const about = running ? `${baseUrl} leads here` : `${baseUrl} (asked only while the service runs)`
  if (isLoopback(host)) return passed('base URL', `${about}; only this machine can reach it`)
  if (protocol === 'http:')
    return warned(
      'base URL',
      `${about}, without TLS: keys travel in clear`,
      'Put a proxy with TLS before it, and https:// in FACTEUR_BASE_URL.',
    )
  return passed('base URL', about)
}
