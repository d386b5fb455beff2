/**
 * Policies of transport security of recipients' domains (MTA-STS, RFC 8461).
 *
 * 1. The TXT record says whether there is one, and by its id whether it is newer than the known one.
 * 2. A new one is fetched over https, with the certificate checked and without following redirects.
 * 3. A known policy stays in force for as long as it said, in all processes: neither a missing TXT record nor an
 * unreachable page ends it before (RFC 8461 10.2).
 */
import type { Clock } from '../../clock.ts'
import type { Resolver } from '../../dns/lookup.ts'
import type { Outbound } from '../../outbound/create-outbound.ts'
import { readStsId, readStsPolicy, type StsPolicy } from './read-sts.ts'

export interface StsPolicies {
  /** Null: the domain asks for nothing. Never rejects. */
  of(domain: string): Promise<Pick<StsPolicy, 'mode' | 'mx'> | null>
}

export interface StsOptions {
  clock: Pick<Clock, 'monotonicMs'>
  log: { warn(fields: object, message: string): void }
  resolver: Resolver
  outbound: Pick<Outbound, 'send'>
  memory: StsMemory
  /** 443, but in tests. */
  policyPort: number
}

/** Where policies outlive a process. It never rejects. */
export interface StsMemory {
  /** Reports known policies, and those that other processes learn. Resolves once all known ones are reported. */
  watch(tell: (known: KnownPolicy) => void): Promise<void>
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

type Held = Omit<KnownPolicy, 'domain' | 'lastsMs'> & { untilMs: number }

export function createStsPolicies(options: StsOptions): StsPolicies {
  const { clock, memory } = options
  const held = new Map<string, Held>()
  const restsUntilMs = new Map<string, number>()
  const known = memory.watch(({ domain, lastsMs, ...policy }) =>
    held.set(domain, { ...policy, untilMs: clock.monotonicMs() + lastsMs }),
  )
  const find = (domain: string): Held | null => {
    const policy = held.get(domain)
    if (policy && policy.untilMs > clock.monotonicMs()) return policy
    held.delete(domain)
    return null
  }
  /** Domains with an unreachable page may be many: the cache drops those that may be asked again. */
  const rest = (domain: string): void => {
    const nowMs = clock.monotonicMs()
    restsUntilMs.delete(domain)
    restsUntilMs.set(domain, nowMs + restMs)
    for (const [rested, untilMs] of restsUntilMs) {
      if (untilMs > nowMs) break
      restsUntilMs.delete(rested)
    }
  }
  const refresh = async (domain: string, id: string): Promise<Held | null> => {
    const fetched = await fetchPolicy(options, domain)
    if (fetched === null) {
      rest(domain)
      return find(domain)
    }
    const policy = { id, mode: fetched.mode, mx: fetched.mx, untilMs: clock.monotonicMs() + fetched.maxAgeSeconds * 1_000 }
    held.set(domain, policy)
    memory.keep(domain, { ...fetched, id })
    return policy
  }
  return {
    async of(domain) {
      await known
      const txt = await options.resolver.resolve(`_mta-sts.${domain}`, 'TXT')
      const id = txt.kind === 'found' ? readStsId(txt.records) : null
      const policy = find(domain)
      if (id === null || id === policy?.id || (restsUntilMs.get(domain) ?? 0) > clock.monotonicMs()) return policy
      return refresh(domain, id)
    },
  }
}

async function fetchPolicy({ outbound, log, policyPort }: StsOptions, domain: string): Promise<StsPolicy | null> {
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
  const policy = why === null && answer.kind === 'answered' ? readStsPolicy(answer.body.toString('utf8')) : null
  if (policy === null)
    log.warn({ domain, why: why ?? 'it is no policy' }, 'A policy of MTA-STS could not be read; the previous one stays valid')
  return policy
}

/** RFC 8461 3.3: 200 alone, as text/plain, whole. */
function whyUseless(answer: Awaited<ReturnType<Outbound['send']>>): string | null {
  if (answer.kind !== 'answered') return answer.reason
  if (answer.status !== 200) return `status ${answer.status}`
  if (answer.truncated) return 'it is too long'
  return /^text\/plain\s*(;|$)/i.test(String(answer.headers['content-type'] ?? '')) ? null : 'it is not text/plain'
}
