/**
 * Checks whether recipients can reach the address of the mail's own links: unsubscribe, view,
 * clicks.
 */
import { BlockList } from 'node:net'
import type { Outbound } from '../../../ground/outbound/create-outbound.ts'
import { mayDial } from '../../../ground/outbound/check-address.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

const nothing = new BlockList()

/** `captures`: whether mail stays in the capture mailbox, whose readers use this machine. */
export async function checkBaseUrl(
  { outbound }: { outbound: Outbound },
  { baseUrl, captures }: { baseUrl: string; captures: boolean },
): Promise<Finding> {
  const { hostname, protocol } = new URL(baseUrl)
  const addresses = await outbound.addressesOf(hostname)
  if (addresses.length === 0)
    return problem('base_url', 'base_url_unknown', { url: baseUrl, host: hostname })
  if (!addresses.every((address) => mayDial(address, nothing)))
    return captures
      ? ok('base_url', 'base_url_kept_here', { url: baseUrl })
      : problem('base_url', 'base_url_private', { url: baseUrl })
  if (protocol === 'http:') return warning('base_url', 'base_url_without_tls', { url: baseUrl })
  return ok('base_url', 'good', { url: baseUrl })
}
