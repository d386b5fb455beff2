/** The way to a domain's mail: its hosts and their addresses, looked up together, kept for a moment and shared by all who ask meanwhile. */
import type { BlockList } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { Resolver } from '../../dns/lookup.ts'
import type { SmtpOutcome } from '../../mail/smtp-client/outcome.ts'
import { mayDial } from '../../outbound/judge-address.ts'
import { findMailHosts, later, refused } from './find-mail-hosts.ts'

export interface MailHost {
  name: string
  /** Those that may be dialled, IPv4 first: more of the world has a good name there. At least one. */
  addresses: string[]
}

export type Route =
  /** `name`: the same for all domains that these hosts take mail for, in this order. */
  { kind: 'hosts'; name: string; tiers: MailHost[][] } | { kind: 'ended'; outcome: SmtpOutcome }

export interface RouteOptions {
  resolver: Resolver
  clock: Pick<Clock, 'monotonicMs'>
  heloName?: string
  /** Ranges that may be dialled although they are not public. */
  allowed: BlockList
}

export interface Routes {
  find(domain: string): Promise<Route>
}

/** How long a route is used before DNS, which keeps answers for as long as they say, is asked again; and one that failed. */
const keptMs = 15_000
const failedMs = 2_000
const keptMax = 20_000

export function createRoutes(options: RouteOptions): Routes {
  const known = new Map<string, { route: Promise<Route>; untilMs: number }>()
  const { clock } = options
  const ask = (domain: string): Promise<Route> => {
    const entry = { route: findRoute(options, domain), untilMs: Infinity }
    // Whoever is asked for again and again stands last; the oldest goes when there are too many.
    known.delete(domain)
    known.set(domain, entry)
    const [oldest] = known.keys()
    if (known.size > keptMax && oldest !== undefined) known.delete(oldest)
    void entry.route.then((route) => (entry.untilMs = clock.monotonicMs() + (isSure(route) ? keptMs : failedMs)))
    return entry.route
  }
  return {
    find(domain) {
      const entry = known.get(domain)
      return entry && entry.untilMs > clock.monotonicMs() ? entry.route : ask(domain)
    },
  }
}

const isSure = (route: Route): boolean => route.kind === 'hosts' || route.outcome.kind === 'refused'

async function findRoute(options: RouteOptions, domain: string): Promise<Route> {
  const hosts = await findMailHosts(options.resolver, domain, options.heloName)
  if (hosts.kind === 'ended') return hosts
  const found = await Promise.all(hosts.tiers.map((tier) => Promise.all(tier.map((name) => findAddresses(options, name)))))
  const tiers = found.map((tier) => tier.filter(({ addresses }) => addresses.length > 0)).filter((tier) => tier.length > 0)
  if (tiers.length > 0) return { kind: 'hosts', name: tiers.map((tier) => tier.map(({ name }) => name).join()).join('>'), tiers }
  return withoutAddress(domain, found.flat())
}

interface FoundHost extends MailHost {
  /** Addresses that we do not dial. */
  closed: string[]
  /** Why one of its look-ups has no answer. */
  failed: string | null
}

async function findAddresses({ resolver, allowed }: RouteOptions, name: string): Promise<FoundHost> {
  const lookups = await Promise.all([resolver.resolve(name, 'A'), resolver.resolve(name, 'AAAA')])
  const all = lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
  const failed = lookups.find((lookup) => lookup.kind === 'failed')
  return {
    name,
    addresses: all.filter((address) => mayDial(address, allowed)),
    closed: all.filter((address) => !mayDial(address, allowed)),
    failed: failed ? failed.why : null,
  }
}

/** Nobody can be dialled: for now where a look-up failed, for good where all were answered. */
function withoutAddress(domain: string, hosts: FoundHost[]): Route {
  const failed = hosts.find((host) => host.failed !== null)
  if (failed) return later(`4.4.3 the address of ${failed.name} could not be looked up (${failed.failed})`)
  const names = hosts.map(({ name }) => name).join(', ')
  const closed = hosts.flatMap((host) => host.closed)
  if (closed.length === 0) return refused('other', `5.4.4 no mail host of ${domain} has an address (${names})`)
  return refused('other', `5.4.4 the mail hosts of ${domain} have no address that may be dialled (${closed.join(', ')})`)
}
