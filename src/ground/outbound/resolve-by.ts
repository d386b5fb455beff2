/**
 * Addresses of names by the operator's own name servers, where there are some; names without a dot
 * are the system's.
 */
import { lookup } from 'node:dns/promises'
import type { Lookup, Resolver } from '../dns/lookup.ts'
import type { Address, ResolveAddress } from './checking-connector.ts'

/** Throws an error with a code of the system's when there is no address. */
export const resolveBy =
  ({ resolve }: Pick<Resolver, 'resolve'>): ResolveAddress =>
  async (host) => {
    if (!host.includes('.')) return lookup(host, { all: true })
    const [four, six] = await Promise.all([resolve(host, 'A'), resolve(host, 'AAAA')])
    const matches: Address[] = [...addressesOf(four, 4), ...addressesOf(six, 6)]
    if (matches.length > 0) return matches
    const code = four.kind === 'failed' || six.kind === 'failed' ? 'EAI_AGAIN' : 'ENOTFOUND'
    throw Object.assign(new Error(`${host} has no address`), { code })
  }

const addressesOf = (answer: Lookup<'A'> | Lookup<'AAAA'>, family: 4 | 6): Address[] =>
  answer.kind === 'found' ? answer.records.map((address) => ({ address, family })) : []
