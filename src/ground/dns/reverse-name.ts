/**
 * Looks up the name of an IP address and whether the name leads back to it: forward-confirmed
 * reverse DNS (RFC 8601 2.7.3).
 */
import { isIP } from 'node:net'
import type { LookupFailure, Resolver } from './lookup.ts'
import { expandMacros } from './spf-macros.ts'

export type ReverseName =
  /** The name leads back to the address. */
  | { kind: 'found'; host: string }
  /** No name of the address does. */
  | { kind: 'elsewhere'; host: string }
  | { kind: 'none' }
  | { kind: 'failed'; why: LookupFailure }

/** Names of one address that are looked up at most. */
const namesMax = 3

export async function findReverseName(
  { resolve }: Pick<Resolver, 'resolve'>,
  address: string,
): Promise<ReverseName> {
  const lookup = await resolve(reverseName(address), 'PTR')
  if (lookup.kind === 'failed') return { kind: 'failed', why: lookup.why }
  const hosts = lookup.kind === 'found' ? lookup.records.slice(0, namesMax) : []
  for (const host of hosts) {
    const back = await resolve(host, isIP(address) === 6 ? 'AAAA' : 'A')
    if (back.kind === 'failed') return { kind: 'failed', why: back.why }
    if (back.kind === 'found' && back.records.includes(address)) return { kind: 'found', host }
  }
  const [host] = hosts
  return host === undefined ? { kind: 'none' } : { kind: 'elsewhere', host }
}

/** RFC 1035 3.5, RFC 3596 2.5: the bytes or hexadecimal digits in reverse order. */
export const reverseName = (address: string): string =>
  `${expandMacros('%{ir}', { address, domain: '', sender: '' }) ?? ''}.${isIP(address) === 6 ? 'ip6' : 'in-addr'}.arpa`
