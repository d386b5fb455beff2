/** Writes terms of SPF for an address or the name of a host (RFC 7208 5). */
import { isIP } from 'node:net'

export const spfAddress = (address: string): string =>
  `${isIP(address) === 6 ? 'ip6' : 'ip4'}:${address}`

/** None for a name that the world cannot look up. */
export const spfName = (name: string): string[] => (name.includes('.') ? [`a:${name}`] : [])
