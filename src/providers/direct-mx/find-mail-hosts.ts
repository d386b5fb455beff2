/**
 * Finds the hosts that take mail for a domain (RFC 5321 5.1).
 *
 * 1. The MX records rank the hosts by preference; hosts of one preference are equal, in any order.
 * 2. Without a record, the domain itself is the host, with preference 0; a failed look-up names no
 *    host.
 * 3. A null MX takes nothing (RFC 7505), nor does a domain that does not exist.
 * 4. Where the records name us, this drops us and all hosts after us: the mail would come back in a
 *    loop.
 */
import type { MxRecord, Resolver } from '../../ground/dns/lookup.ts'
import type { SmtpOutcome } from '../../mail/smtp-client/outcome.ts'

export type MailHosts =
  /**
   * At least one tier with at least one name. `authenticated`: the MX records were validated at
   * this machine (RFC 7672 2.2.1).
   */
  | { kind: 'found'; tiers: string[][]; authenticated: boolean }
  | { kind: 'ended'; outcome: SmtpOutcome; first?: SmtpOutcome }

/** Limit of the used hosts; a domain may name more. */
const hostsMax = 20

/** `heloName`: our own host name. */
export async function findMailHosts(
  resolver: Resolver,
  domain: string,
  heloName: string | undefined,
): Promise<MailHosts> {
  const mx = await resolver.resolve(domain, 'MX')
  switch (mx.kind) {
    case 'failed':
      return later(`4.4.3 the mail hosts of ${domain} could not be looked up (${mx.why})`)
    case 'unknown':
      return withoutDomain(resolver, domain)
    case 'none':
      return isHostName(mx.name)
        ? { kind: 'found', tiers: [[mx.name]], authenticated: mx.authenticated }
        : refused('other', `5.4.4 the domain ${domain} is an alias of what is no host name`)
    case 'found':
      return fromRecords(mx, { domain, heloName })
    default:
      return mx satisfies never
  }
}

/**
 * A domain that does not exist suppresses its addresses, and one name server may be wrong: a moved
 * zone, a hijacked or broken resolver. So another one is asked. Where there is none, only the
 * second attempt believes it: a minute later or more.
 */
async function withoutDomain(resolver: Resolver, domain: string): Promise<MailHosts> {
  const other = await resolver.resolveElsewhere(domain, 'MX')
  if (other.kind === 'found' || other.kind === 'none')
    return later(`4.4.3 of two name servers, one says that the domain ${domain} does not exist`)
  const unknown = refused('hard', `5.1.2 the domain ${domain} does not exist`)
  if (other.kind === 'unknown') return unknown
  const first = later(
    `4.1.2 the domain ${domain} does not exist; it is asked for again before that is believed`,
  ).outcome
  return { ...unknown, first }
}

function fromRecords(
  mx: { records: MxRecord[]; authenticated: boolean },
  { domain, heloName }: { domain: string; heloName: string | undefined },
): MailHosts {
  // RFC 7505 3: "." beside others is no null MX, and no host either.
  const named = mx.records.filter(({ exchange }) => exchange !== '.')
  if (named.length === 0)
    return refused('hard', `5.1.10 the domain ${domain} takes no mail (null MX)`)
  const hosts = named.filter(({ exchange }) => isHostName(exchange))
  if (hosts.length === 0)
    return refused('other', `5.4.4 no mail host of ${domain} has the name of a host`)
  const tiers = tiersOf(hosts)
  const ours = tiers.findIndex(
    (tier) => heloName !== undefined && tier.includes(heloName.toLowerCase()),
  )
  const others = ours === -1 ? tiers : tiers.slice(0, ours)
  if (others.length === 0)
    return refused('other', `5.4.6 the mail of ${domain} is for this machine itself`)
  return { kind: 'found', tiers: others, authenticated: mx.authenticated }
}

/**
 * DNS allows any octet in a name (RFC 2181 11), a host's has few (RFC 1123 2.1; the underscore
 * occurs). Others would come into records, which store no NUL, and into the names of destinations,
 * which commas separate.
 */
const isHostName = (name: string): boolean => /^[a-z0-9_.-]+$/.test(name)

/** A host that is named twice counts at its better preference. */
function tiersOf(records: MxRecord[]): string[][] {
  const hosts = new Set<string>()
  const sorted = records.toSorted((a, b) => a.preference - b.preference)
  const once = sorted
    .filter(({ exchange }) => !hosts.has(exchange) && hosts.add(exchange))
    .slice(0, hostsMax)
  return [...Map.groupBy(once, ({ preference }) => preference).values()].map((tier) =>
    tier.map(({ exchange }) => exchange).toSorted(),
  )
}

export const refused = (
  reason: 'hard' | 'other',
  response: string,
): { kind: 'ended'; outcome: SmtpOutcome } => ({
  kind: 'ended',
  outcome: { kind: 'refused', reason, phase: 'dial', code: null, response },
})

export const later = (response: string): { kind: 'ended'; outcome: SmtpOutcome } => ({
  kind: 'ended',
  outcome: { kind: 'deferred', phase: 'dial', code: null, response },
})
