/**
 * Looks up the certificate records (TLSA) of a mail host (RFC 7672 2.2); it trusts only answers
 * validated on this machine. Where the host is an alias (2.2.2):
 *
 * 1. Validated to its end, the records stand below the name at the end, or else below the host's
 *    own.
 * 2. An alias of a signed zone that leads to an unsigned one has its records below the host's own
 *    name alone.
 * 3. A host whose own zone is not signed has none.
 */
import type { Resolver, TlsaRecord } from '../../ground/dns/lookup.ts'

/**
 * `records`: null without one that was validated. Empty if none is usable, and only encryption is
 * required (RFC 7672 2.2).
 */
export type TlsaAnswer =
  | { records: TlsaRecord[] | null; name: string }
  /** The look-up failed, so that no host may be trusted. */
  | { failed: string }

interface HostAddress {
  name: string
  /** The name at the end of its aliases; the same where it is none. */
  alias: string
  /** The answers about its addresses were validated, aliases included. */
  isProven: boolean
  port: number
}

export async function findTlsa(
  resolver: Resolver,
  { name, alias, isProven, port }: HostAddress,
): Promise<TlsaAnswer> {
  if (!isProven && (alias === name || !(await isSignedAlias(resolver, name))))
    return { records: null, name }
  for (const base of isProven && alias !== name ? [alias, name] : [name]) {
    const lookup = await resolver.resolve(`_${port}._tcp.${base}`, 'TLSA')
    if (lookup.kind === 'failed') return { failed: lookup.why }
    if (lookup.kind === 'found' && lookup.authenticated)
      return { records: lookup.records.filter(isUsable), name: base }
  }
  return { records: null, name }
}

/** RFC 7672 2.1.3: the answer about the addresses as a whole says nothing of the first alias. */
async function isSignedAlias(resolver: Resolver, name: string): Promise<boolean> {
  const lookup = await resolver.resolve(name, 'CNAME')
  return lookup.kind === 'found' && lookup.authenticated
}

/**
 * RFC 7672 3.1: a host's own certificate or an authority of its own; PKIX usages have no meaning
 * for mail.
 */
function isUsable({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if ((usage !== 2 && usage !== 3) || (selector !== 0 && selector !== 1)) return false
  const length = [null, 32, 64][matchingType]
  return length === null ? certificate.length > 0 : certificate.length === length
}
