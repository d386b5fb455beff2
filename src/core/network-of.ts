/**
 * Determines the network of a visitor for rate limits: one IPv4 address, or the /64 that one
 * household has of IPv6.
 */
import { isIPv6 } from 'node:net'

/**
 * `address` comes from the socket or a trusted proxy; a text that is no address counts as it is. Of
 * a connection that was reset there is none. A text without a colon is its own network: hot paths
 * do not ask for it.
 */
export function networkOf(address = ''): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [bare = ''] = address.split('%', 1)
  if (!isIPv6(bare)) return address
  const [before = '', after] = bare.toLowerCase().split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const behind = after === '' ? [] : after.split(':')
    while (groups.length + behind.length < 8) groups.push('0')
    groups.push(...behind)
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
