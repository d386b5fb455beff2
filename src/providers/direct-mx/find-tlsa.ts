/**
 * Looks up the certificate records (TLSA) of a mail host (RFC 7672 2.2); it trusts only answers validated on this
 * machine.
 */
import type { Resolver, TlsaRecord } from '../../dns/lookup.ts'

/**
 * The usable records. None may be usable: then only encryption is required (RFC 7672 2.2). Null: no record, or none
 * that was validated. `failed`: the look-up failed, so that no host may be trusted.
 */
export async function findTlsa(
  resolver: Resolver,
  { name, port }: { name: string; port: number },
): Promise<TlsaRecord[] | { failed: string } | null> {
  const lookup = await resolver.resolve(`_${port}._tcp.${name}`, 'TLSA')
  if (lookup.kind === 'failed') return { failed: lookup.why }
  return lookup.kind === 'found' && lookup.authenticated ? lookup.records.filter(isUsable) : null
}

/** RFC 7672 3.1: a host's own certificate or an authority of its own; PKIX usages have no meaning for mail. */
function isUsable({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if ((usage !== 2 && usage !== 3) || (selector !== 0 && selector !== 1)) return false
  const length = [null, 32, 64][matchingType]
  return length === null ? certificate.length > 0 : certificate.length === length
}
