/**
 * Finds the route to a domain's mail: its hosts and their addresses, looked up together and cached
 * shortly for all concurrent callers.
 */
import { hash } from 'node:crypto'
import type { BlockList } from 'node:net'
import type { Clock } from '../../ground/clock.ts'
import type { Resolver, TlsaRecord } from '../../ground/dns/lookup.ts'
import type { SmtpOutcome } from '../../mail/smtp-client/outcome.ts'
import { mayDial } from '../../ground/outbound/check-address.ts'
import { setLast } from '../../ground/set-last.ts'
import { findMailHosts, later, refused } from './find-mail-hosts.ts'
import { findTlsa } from './find-tlsa.ts'
import { matchesSts, type StsPolicy } from './read-sts.ts'
import type { StsPolicies } from './sts-policies.ts'
import type { CountTls } from './tls-results.ts'

export interface MailHost {
  name: string
  /** Addresses that may be connected to. At least one. */
  addresses: string[]
  /**
   * Validated DNS records of the host's certificate; they may all be unusable. Null if there is
   * none.
   */
  tlsa: TlsaRecord[] | null
  /** The name below which these records are; the host's own, or the one that it is an alias of. */
  tlsaName: string
}

/**
 * The required security of a connection. `enforce` and `testing`: the domain's MTA-STS policy; the
 * latter only writes to the log and holds no mail back.
 */
export type Security = 'opportunistic' | 'testing' | 'enforce'

export interface HostsRoute {
  kind: 'hosts'
  /**
   * The same for all domains that these hosts take mail for, in this order and with this security.
   */
  name: string
  security: Security
  tiers: MailHost[][]
}

/** `first`: the outcome of a first attempt, where this one is not sure yet. */
export type Route = HostsRoute | { kind: 'ended'; outcome: SmtpOutcome; first?: SmtpOutcome }

export interface MxRouteOptions {
  resolver: Resolver
  clock: Pick<Clock, 'monotonicMs'>
  /** Our name in EHLO. Absent means an address literal. */
  heloName?: string
  /** Ranges that it may connect to although they are not public. */
  allowed: BlockList
  /** The port of the hosts: 25, but in tests. */
  port: number
  policies: StsPolicies
  countTls: CountTls
  log: { warn(fields: object, message: string): void }
}

/** The route to a domain. Never rejects. */
export type FindRoute = (domain: string) => Promise<Route>

/**
 * How long a route is used before DNS is asked again (answers are cached for as long as they say);
 * and a failed one.
 */
const keptMs = 15_000
const failedMs = 2_000
const keptMax = 20_000
const nameMax = 1_000

export function createFindRoute(options: MxRouteOptions): FindRoute {
  const known = new Map<string, { route: Promise<Route>; untilMs: number }>()
  const { clock } = options
  return (domain) => {
    const cached = known.get(domain)
    if (cached && cached.untilMs > clock.monotonicMs()) return cached.route
    const entry = { route: findRoute(options, domain), untilMs: Infinity }
    setLast(known, domain, entry, keptMax)
    void entry.route.then(
      (route) => (entry.untilMs = clock.monotonicMs() + (isSure(route) ? keptMs : failedMs)),
    )
    return entry.route
  }
}

const isSure = (route: Route): boolean => route.kind === 'hosts' || route.outcome.kind === 'refused'

async function findRoute(options: MxRouteOptions, domain: string): Promise<Route> {
  const [hosts, policy] = await Promise.all([
    findMailHosts(options.resolver, domain, options.heloName),
    options.policies.of(domain),
  ])
  if (hosts.kind === 'ended') return hosts
  const named = applyPolicy(options, { domain, tiers: hosts.tiers, policy })
  if ('kind' in named) return named
  const find = (name: string): Promise<FoundHost> =>
    findHost(options, { name, domain, authenticated: hosts.authenticated })
  const result = await Promise.all(named.tiers.map((tier) => Promise.all(tier.map(find))))
  const tiers = result
    .map((tier) => tier.filter(({ addresses }) => addresses.length > 0))
    .filter((tier) => tier.length > 0)
  if (tiers.length === 0) return withoutAddress(domain, result.flat())
  return { kind: 'hosts', name: nameOf(tiers, named.security), security: named.security, tiers }
}

/**
 * Commas separate hosts of one preference. Whether a host has to prove its identity by DNS depends
 * on the domain's MX too.
 */
function nameOf(tiers: MailHost[][], security: Security): string {
  const names = tiers
    .map((tier) => tier.map(({ name, tlsa }) => (tlsa === null ? name : `${name}*`)).join())
    .join('>')
  const name = security === 'opportunistic' ? names : `${security} ${names}`
  // The name is a key in the database, where one of twenty long names has no room.
  return name.length <= nameMax ? name : hash('sha256', name)
}

/** The first host of a destination's name, by which it has its receiver; a digest is no host. */
export const firstHostOf = (destination: string): string =>
  /^(?:\w+ )?([^ ,>*]+)/.exec(destination)?.[1] ?? destination

/**
 * RFC 8461 4.1, 5: hosts that the policy does not name get nothing; where it names none, the mail
 * waits.
 */
function applyPolicy(
  { log, countTls }: MxRouteOptions,
  {
    domain,
    tiers,
    policy,
  }: { domain: string; tiers: string[][]; policy: Pick<StsPolicy, 'mode' | 'mx'> | null },
): { tiers: string[][]; security: Security } | Exclude<Route, HostsRoute> {
  if (policy === null || policy.mode === 'none') return { tiers, security: 'opportunistic' }
  const matching = tiers
    .map((tier) => tier.filter((host) => matchesSts(host, policy.mx)))
    .filter((tier) => tier.length > 0)
  if (matching.flat().length === 0)
    countTls({ domain, policy: 'sts', result: 'validation-failure' })
  if (policy.mode === 'enforce')
    return matching.length > 0
      ? { tiers: matching, security: 'enforce' }
      : later(`4.7.8 no mail host of ${domain} is named by its MTA-STS policy`)
  if (matching.flat().length < tiers.flat().length)
    log.warn(
      { domain, hosts: tiers.flat(), policy: policy.mx },
      'MTA-STS in testing: the policy does not name a mail host',
    )
  return { tiers, security: 'testing' }
}

interface FoundHost extends MailHost {
  /** Addresses that mail must not connect to. */
  closed: string[]
  /** The reason why a look-up of the host has no answer. Null if all have one. */
  failed: string | null
}

/**
 * Without an answer about its certificate, a host gets no connection: it may be an attacker's (RFC
 * 7672 2.1.2).
 */
async function findHost(
  { resolver, allowed, port, countTls }: MxRouteOptions,
  { name, domain, authenticated }: { name: string; domain: string; authenticated: boolean },
): Promise<FoundHost> {
  const lookups = await Promise.all([resolver.resolve(name, 'A'), resolver.resolve(name, 'AAAA')])
  const all = lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
  const failed = lookups.find((lookup) => lookup.kind === 'failed')
  const { addresses = [], closed = [] } = Object.groupBy(all, (address) =>
    mayDial(address, allowed) ? 'addresses' : 'closed',
  )
  // Only proven answers count. A look-up that fails beside them removes nothing: an attacker who
  // drops answers could switch DANE off.
  const answered = lookups.filter((lookup) => lookup.kind !== 'failed')
  const alias = answered.find((lookup) => lookup.name !== name)?.name ?? name
  const isProven = answered.every((lookup) => lookup.authenticated)
  const tlsa =
    authenticated && addresses.length > 0
      ? await findTlsa(resolver, { name, alias, isProven, port })
      : { records: null, name }
  const result = { name, closed, failed: failed ? failed.why : null }
  if ('records' in tlsa) return { ...result, addresses, tlsa: tlsa.records, tlsaName: tlsa.name }
  countTls({ domain, policy: 'tlsa', result: 'dnssec-invalid' })
  return { name, addresses: [], closed: [], tlsa: null, tlsaName: name, failed: tlsa.failed }
}

/**
 * The failure without any usable address: temporary if a look-up failed, final if DNS answered all
 * of them.
 */
function withoutAddress(domain: string, hosts: FoundHost[]): Route {
  const failed = hosts.find((host) => host.failed !== null)
  if (failed)
    return later(`4.4.3 the address of ${failed.name} could not be looked up (${failed.failed})`)
  const names = hosts.map(({ name }) => name).join(', ')
  const closed = hosts.flatMap((host) => host.closed)
  if (closed.length === 0)
    return refused('other', `5.4.4 no mail host of ${domain} has an address (${names})`)
  return refused(
    'other',
    `5.4.4 the mail hosts of ${domain} have no address that may be dialled (${closed.join(', ')})`,
  )
}
