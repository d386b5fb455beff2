/** What DNS says of the certificate of a mail host (RFC 7672 2.2): believed where it was validated at this machine, and nowhere else. */
import type { Resolver, TlsaRecord } from '../../dns/lookup.ts'

/**
 * The usable records; none may be: then encryption alone is asked for (RFC 7672 2.2). Null: nothing is said, or nothing that was
 * validated. `failed`: it cannot be known, so that nobody may be trusted.
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
  const octets = [null, 32, 64][matchingType]
  return octets === null ? certificate.length > 0 : certificate.length === octets
}
