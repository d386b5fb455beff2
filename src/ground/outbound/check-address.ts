/**
 * Which addresses we dial for others: public unicast ones that are not ours, and what the operator
 * allows (security: What goes out).
 */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Special-purpose blocks of the IANA registries (RFC 6890), multicast, and the wire server of one
 * cloud, which looks public.
 */
const closedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]

/**
 * Of IPv6 only 2000::/3 is public unicast (RFC 4291 2.4); within it, what is set apart or carries
 * an IPv4 address elsewhere.
 */
const openV6 = '2000::/3'
const closedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Ranges of this machine, which a service whose base URL is of this machine allows. */
export const loopbackRanges: readonly string[] = ['127.0.0.0/8', '::1/128']

const closed = subnetList([...closedV4, ...closedV6])
const open = subnetList([openV6])

/** Ranges as `10.0.0.0/8` and `fd00::/8`. */
export function subnetList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/**
 * Whether an address, as the resolver gives it, may be dialled. Addresses in `allowed` always may.
 * Those of `interfaces` may not otherwise; default: the ones that this machine has now.
 */
export function mayDial(address: string, allowed: BlockList, interfaces?: Interfaces): boolean {
  // One with a zone is of a link.
  if (isIP(address) === 0 || address.includes('%')) return false
  const mapped = mappedV4(address)
  if (mapped !== null) return mayDial(mapped, allowed, interfaces)
  const family = familyOf(address)
  if (allowed.check(address, family)) return true
  if (family === 'ipv6' && !open.check(address, family)) return false
  return !closed.check(address, family) && !isOurs(address, interfaces ?? networkInterfaces())
}

/**
 * Why an address is not called. `plain_http`: http, to one that only https may go to. `port`:
 * another port than a website's.
 */
export type RefusalReason = 'scheme' | 'credentials' | 'address' | 'plain_http' | 'port'

/** Null if it may be called. `plainHttp`: also where no range allows it. */
export function checkAddress(
  address: string,
  { allowed, plainHttp }: { allowed: BlockList; plainHttp: boolean },
): 'address' | 'plain_http' | null {
  if (!mayDial(address, allowed)) return 'address'
  return plainHttp || isAllowed(address, allowed) ? null : 'plain_http'
}

/** Whether the operator allows this address by range. */
export function isAllowed(address: string, allowed: BlockList): boolean {
  const plain = mappedV4(address) ?? address
  return allowed.check(plain, familyOf(plain))
}

function familyOf(address: string): 'ipv6' | 'ipv4' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/**
 * The address that a URL's host is written as, without brackets. Null if it is a name. The URL
 * parser has read every spelling.
 */
export function literalOf(hostname: string): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}

/** `::ffff:127.0.0.1` and its hexadecimal spelling are an IPv4 address (RFC 4291 2.5.5.2). */
function mappedV4(address: string): string | null {
  if (!isIPv6(address) || address.includes('%')) return null
  // The URL parser writes every spelling of an address alike.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname) ??
    []
  if (high === undefined || low === undefined) return null
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}

/**
 * A public address may be this machine's own: what listens on it is not for others to ask through
 * us.
 */
function isOurs(address: string, interfaces: Interfaces): boolean {
  const own = new BlockList()
  for (const item of Object.values(interfaces).flatMap((all) => all ?? []))
    own.addAddress(item.address, familyOf(item.address))
  // An IPv6 address has many spellings, and name servers choose.
  return own.check(address, familyOf(address))
}

type Interfaces = Record<string, readonly { address: string }[] | undefined>

/** Thrown by a connection that was not opened. */
export class RefusedAddress extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super('The address is one that we do not call')
    this.reason = reason
  }
}
