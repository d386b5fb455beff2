/**
 * Opens a connection to the first of a route's hosts that takes one (RFC 5321 5.1): tier after
 * tier, equal hosts in any order, address after address.
 *
 * A host that failed a moment ago comes after all others. So a host that is down, or that breaks
 * connections off, does not delay each new connection. Encryption is used where it is offered. It
 * is given up, once for an address, where it does not work: no one promised any (RFC 7435). Where
 * DNS (RFC 7672) or a policy (RFC 8461) promises it, a host that cannot prove its identity has
 * failed.
 */
import { isIPv6 } from 'node:net'
import type { Clock } from '../../ground/clock.ts'
import type { TlsaRecord } from '../../ground/dns/lookup.ts'
import { dialTcp } from '../../mail/smtp-client/dial.ts'
import { openSmtpSession, type Opened } from '../../mail/smtp-client/open-session.ts'
import type { Relay } from '../../mail/smtp-client/relay.ts'
import type { Timeouts } from '../../mail/smtp-client/timeouts.ts'
import type { MailHost, Security } from './find-route.ts'
import { resultOf, type TlsSeen } from './tls-results.ts'
import { verifyByTlsa } from './verify-tlsa.ts'

export interface HostOptions {
  port: number
  clock: Clock
  timeouts: Timeouts
  heloName?: string
  /**
   * The addresses that connections leave from, at most one of each family; none: the system
   * chooses.
   */
  sourceAddresses: readonly string[]
  security: Security
  /** Called for each session whose encryption a policy asks for, and for each that fails. */
  countTls(tls: Omit<TlsSeen, 'domain'>): void
  log: { warn(fields: object, message: string): void }
}

type Failed = Extract<Opened, { kind: 'failed' }>

/** Addresses that are tried for one connection. */
const triesMax = 10
const avoidedMs = 300_000

/** Which hosts failed a moment ago, until when. */
export type Avoided = Map<string, number>

export const avoid = (avoided: Avoided, host: string, clock: Pick<Clock, 'monotonicMs'>): void =>
  void avoided.set(host, clock.monotonicMs() + avoidedMs)

/**
 * Never rejects; when all fail, returns a host's answer, or else the last failure, with the host's
 * name.
 */
export async function openThroughHosts(
  options: HostOptions,
  { tiers, avoided }: { tiers: MailHost[][]; avoided: Avoided },
  signal: AbortSignal,
): Promise<Opened> {
  let failed: Failed = {
    kind: 'failed',
    phase: 'dial',
    code: null,
    response: '4.4.1 no address of the right family',
  }
  for (const candidate of inTurn(options, tiers, avoided).slice(0, triesMax)) {
    const { host, address } = candidate
    const opened = await openAddress(options, candidate, signal)
    if (opened.kind === 'ready') {
      avoided.delete(host)
      return opened
    }
    avoid(avoided, host, options.clock)
    if (opened.code !== null || failed.code === null)
      failed = { ...opened, response: `${opened.response} [${host} ${address}]` }
    if (signal.aborted) break
  }
  return failed
}

interface Candidate {
  host: string
  address: string
  tlsa: TlsaRecord[] | null
  tlsaName: string
}

function inTurn(
  { clock, sourceAddresses }: HostOptions,
  tiers: MailHost[][],
  avoided: Avoided,
): Candidate[] {
  const nowMs = clock.monotonicMs()
  const isAvoided = (host: string): boolean => (avoided.get(host) ?? -Infinity) > nowMs
  const hosts = tiers.flatMap((tier) => shuffled(tier))
  return [
    ...hosts.filter(({ name }) => !isAvoided(name)),
    ...hosts.filter(({ name }) => isAvoided(name)),
  ].flatMap(({ name, addresses, tlsa, tlsaName }) =>
    inFamilies(addresses)
      .filter(
        (address) =>
          sourceAddresses.length === 0 || sourceFor(sourceAddresses, address) !== undefined,
      )
      .map((address) => ({ host: name, address, tlsa, tlsaName })),
  )
}

const inFamilies = (addresses: string[]): string[] => [
  ...shuffled(addresses.filter((address) => !isIPv6(address))),
  ...shuffled(addresses.filter(isIPv6)),
]

/** RFC 5321 5.1: equal ones are tried in random order, which spreads the load. */
function shuffled<T>(list: T[]): T[] {
  return list
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

const sourceFor = (sources: readonly string[], address: string): string | undefined =>
  sources.find((source) => isIPv6(source) === isIPv6(address))

async function openAddress(
  options: HostOptions,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Opened> {
  const { security, log } = options
  const { host, address } = candidate
  const peer = peerOf(options, candidate)
  const opened = await openOnce(options, { peer, address }, signal)
  countTls(options, candidate, opened)
  if (opened.kind === 'ready' || opened.phase !== 'tls' || signal.aborted) return opened
  if (peer.tls === 'starttls')
    return openOnce(options, { peer: { ...peer, tls: 'none' }, address }, signal)
  if (security !== 'testing' || candidate.tlsa !== null) return opened
  log.warn(
    { host, address, why: opened.response },
    'MTA-STS in testing: a host could not prove its name; its mail is sent anyway',
  )
  return openAddress({ ...options, security: 'opportunistic' }, candidate, signal)
}

/**
 * RFC 8460 4.1: without a policy only failures are counted. A session that fails for another reason
 * says nothing of encryption.
 */
function countTls(
  { security, countTls: count }: HostOptions,
  { tlsa }: Candidate,
  opened: Opened,
): void {
  const policy = tlsa !== null ? 'tlsa' : security === 'opportunistic' ? 'no-policy-found' : 'sts'
  if (opened.kind === 'ready')
    return policy === 'no-policy-found' ? undefined : count({ policy, result: 'success' })
  if (opened.phase === 'tls') count({ policy, result: resultOf(opened.cause) })
}

/** A host's TLSA records take precedence over a policy (RFC 8461 2). */
function peerOf(
  { port, security, clock }: HostOptions,
  { host, tlsa, tlsaName }: Candidate,
): Relay {
  if (tlsa !== null && tlsa.length === 0)
    return { host, port, tls: 'required', certificate: 'none' }
  if (tlsa !== null)
    return {
      ...{ host, port, tls: 'required' },
      // RFC 7672 3.2.2, 3.2.3: SNI and the names of the certificate are those of the records.
      serverName: tlsaName,
      certificate: (socket) =>
        verifyByTlsa(socket, { host: tlsaName, records: tlsa, now: clock.now() }),
    }
  if (security === 'opportunistic') return { host, port, tls: 'starttls', certificate: 'none' }
  return { host, port, tls: 'required', certificate: 'name' }
}

function openOnce(
  { clock, timeouts, heloName, sourceAddresses }: HostOptions,
  { peer, address }: { peer: Relay; address: string },
  signal: AbortSignal,
): Promise<Opened> {
  const localAddress = sourceFor(sourceAddresses, address)
  return openSmtpSession(
    {
      ...{ relay: peer, clock, timeouts },
      ...(heloName === undefined ? {} : { name: heloName }),
      // The name is for TLS; the connection uses an address that was checked.
      dial: ({ port }, until) =>
        dialTcp(
          { host: address, port, ...(localAddress === undefined ? {} : { localAddress }) },
          until,
        ),
    },
    signal,
  )
}
