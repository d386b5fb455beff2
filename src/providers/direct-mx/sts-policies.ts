/**
 * Policies of transport security of recipients' domains (MTA-STS, RFC 8461).
 *
 * 1. The TXT record says whether there is one, and by its id whether it is newer than the known
 *    one.
 * 2. A new one is fetched over https, with the certificate checked and without following redirects.
 * 3. A policy that is used is fetched again before it ends, halfway or after a day (RFC 8461 10.2);
 *    a failure changes nothing.
 * 4. A known policy stays in force for as long as it said, in all processes: neither a missing TXT
 *    record nor an unreachable page ends it before (RFC 8461 10.2).
 */
import { repeatEvery, type Clock } from '../../ground/clock.ts'
import type { Resolver } from '../../ground/dns/lookup.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import { readStsId, readStsPolicy, type StsPolicy } from './read-sts.ts'
import type { CountTls, TlsResult } from './tls-results.ts'

export interface StsPolicies {
  /** Null if the domain asks for nothing. Never rejects. */
  of(domain: string): Promise<Pick<StsPolicy, 'mode' | 'mx'> | null>
}

export interface StsOptions {
  clock: Clock
  log: { warn(fields: object, message: string): void }
  resolver: Resolver
  outbound: Pick<Outbound, 'send'>
  memory: StsMemory
  countTls: CountTls
  /** Ends the renewals. */
  stopping: AbortSignal
  /** 443, but in tests. */
  policyPort: number
}

/** Where policies outlive a process. It never rejects. */
export interface StsMemory {
  /**
   * Reports known policies, and those that other processes learn. Resolves once all known ones are
   * reported.
   */
  watch(report: (known: KnownPolicy) => void): Promise<void>
  keep(domain: string, policy: StsPolicy & { id: string }): void
}

export interface KnownPolicy extends Pick<StsPolicy, 'mode' | 'mx'> {
  domain: string
  id: string
  lastsMs: number
}

/** RFC 8461 3.3: after a failed fetch of a policy, the next one waits. */
const restMs = 300_000
const withinMs = 30_000
const policyBytesMax = 65_536

/**
 * A policy is renewed after half of its time, or after a day: its owner may withdraw it by a
 * shorter one.
 */
const renewedMs = 86_400_000
const sweepEveryMs = 60_000
/** Policies that are renewed at once. */
const renewedAtOnce = 4

interface CachedPolicy extends Omit<KnownPolicy, 'domain' | 'lastsMs'> {
  untilMs: number
  renewAtMs: number
  /** Whether mail asked for it since it was fetched. */
  isUsed: boolean
}

export function createStsPolicies(options: StsOptions): StsPolicies {
  const { clock, memory } = options
  const cache = new Map<string, CachedPolicy>()
  const restsUntilMs = new Map<string, number>()
  const known = memory.watch(({ domain, lastsMs, ...policy }) =>
    cache.set(domain, { ...policy, ...timesOf(clock, lastsMs), isUsed: false }),
  )
  const find = (domain: string): CachedPolicy | null => {
    const policy = cache.get(domain)
    if (policy && policy.untilMs > clock.monotonicMs()) return policy
    cache.delete(domain)
    return null
  }
  /**
   * Domains with an unreachable page may be many: the cache drops those that may be asked again.
   */
  const rest = (domain: string): void => {
    const nowMs = clock.monotonicMs()
    restsUntilMs.delete(domain)
    restsUntilMs.set(domain, nowMs + restMs)
    for (const [rested, untilMs] of restsUntilMs) {
      if (untilMs > nowMs) break
      restsUntilMs.delete(rested)
    }
  }
  const refresh = async (
    domain: string,
    id: string,
    isUsed: boolean,
  ): Promise<CachedPolicy | null> => {
    const fetched = await fetchPolicy(options, domain)
    if (fetched === null) {
      rest(domain)
      return find(domain)
    }
    const policy = {
      id,
      mode: fetched.mode,
      mx: fetched.mx,
      ...timesOf(clock, fetched.maxAgeSeconds * 1_000),
      isUsed,
    }
    cache.set(domain, policy)
    memory.keep(domain, { ...fetched, id })
    return policy
  }
  const idOf = async (domain: string): Promise<string | null> => {
    const txt = await options.resolver.resolve(`_mta-sts.${domain}`, 'TXT')
    return txt.kind === 'found' ? readStsId(txt.records) : null
  }
  /** Without its TXT record a policy only lasts until its end. */
  const renew = async ([domain]: [string, CachedPolicy]): Promise<void> => {
    const id = await idOf(domain)
    if (id === null) rest(domain)
    else await refresh(domain, id, false)
  }
  const renewOld = async (): Promise<void> => {
    const nowMs = clock.monotonicMs()
    const isOld = ([domain, { isUsed, renewAtMs, untilMs }]: [string, CachedPolicy]): boolean =>
      isUsed && renewAtMs <= nowMs && untilMs > nowMs && (restsUntilMs.get(domain) ?? 0) <= nowMs
    const old = [...cache].filter(isOld)
    for (let at = 0; at < old.length; at += renewedAtOnce)
      await Promise.all(old.slice(at, at + renewedAtOnce).map(renew))
  }
  void repeatEvery(
    clock,
    { everyMs: sweepEveryMs, stopping: options.stopping, restsFirst: true },
    renewOld,
  )
  return {
    async of(domain) {
      await known
      const id = await idOf(domain)
      const policy = find(domain)
      if (policy !== null) policy.isUsed = true
      if (id === null || id === policy?.id || (restsUntilMs.get(domain) ?? 0) > clock.monotonicMs())
        return policy
      return refresh(domain, id, true)
    },
  }
}

/** A little apart in each process, so that one renews for all. */
const timesOf = (
  clock: Pick<Clock, 'monotonicMs'>,
  lastsMs: number,
): Pick<CachedPolicy, 'untilMs' | 'renewAtMs'> => {
  const nowMs = clock.monotonicMs()
  return {
    untilMs: nowMs + lastsMs,
    renewAtMs: nowMs + Math.min(renewedMs, lastsMs / 2) * (0.9 + Math.random() / 10),
  }
}

async function fetchPolicy(
  { outbound, log, countTls, policyPort }: StsOptions,
  domain: string,
): Promise<StsPolicy | null> {
  const port = policyPort === 443 ? '' : `:${policyPort}`
  const url = new URL(`https://mta-sts.${domain}${port}/.well-known/mta-sts.txt`)
  const answer = await outbound.send({
    method: 'GET',
    url,
    headers: { accept: 'text/plain' },
    withinMs,
    readMax: policyBytesMax,
  })
  const why = whyUseless(answer)
  const policy =
    why === null && answer.kind === 'answered' ? readStsPolicy(answer.body.toString('utf8')) : null
  if (policy !== null) return policy
  countTls({ domain, policy: 'sts', result: failureOf(answer, why) })
  log.warn(
    { domain, why: why ?? 'it is no policy' },
    'A policy of MTA-STS could not be read; the previous one stays valid',
  )
  return null
}

/** RFC 8460 4.3.2.2. */
function failureOf(answer: Awaited<ReturnType<Outbound['send']>>, why: string | null): TlsResult {
  if (why === null) return 'sts-policy-invalid'
  return answer.kind === 'failed' && /cert|altname|signature/i.test(answer.reason)
    ? 'sts-webpki-invalid'
    : 'sts-policy-fetch-error'
}

/** RFC 8461 3.3: 200 alone, as text/plain, whole. */
function whyUseless(answer: Awaited<ReturnType<Outbound['send']>>): string | null {
  if (answer.kind !== 'answered') return answer.reason
  if (answer.status !== 200) return `status ${answer.status}`
  if (answer.truncated) return 'it is too long'
  return /^text\/plain\s*(;|$)/i.test(String(answer.headers['content-type'] ?? ''))
    ? null
    : 'it is not text/plain'
}
