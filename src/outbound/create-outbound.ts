/**
 * The one outbound HTTP client: what others tell us to ask is asked here (security: What goes out).
 *
 * 1. http or https, no user and password in the address
 * 2. the name is resolved once; every address must be one that we may dial, also where the host is written as an address
 * 3. the connection goes to an address that was judged; no proxy, no redirect is followed
 * 4. 15 seconds for all of it; of the answer the status and where it points to are read, not its body
 */
import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { BlockList } from 'node:net'
import { mayDial } from './judge-address.ts'

/** What came of asking. `reason` is a word of ours or the system's code (`ENOTFOUND`, `CERT_HAS_EXPIRED`…). */
export type UrlAnswer =
  | { kind: 'answered'; status: number; location: string | null }
  /** Not asked at all: the address is one that we do not ask. */
  | { kind: 'refused'; reason: 'scheme' | 'credentials' | 'address' }
  | { kind: 'failed'; reason: string }

export interface Outbound {
  /** Asks by GET. Never rejects. */
  ask(url: URL, signal: AbortSignal): Promise<UrlAnswer>
  /** What a host's name stands for; none when it is unknown. A literal address stands for itself. */
  addressesOf(host: string): Promise<string[]>
}

const withinMs = 15_000

/** `allowed`: ranges that may be dialled although they are not public. */
export function createOutbound(options: { allowed: BlockList; userAgent: string }): Outbound {
  return {
    ask: (url, signal) => askJudged(options, url, signal),
    addressesOf: async (host) => {
      const found = await resolve(host).catch(() => [])
      return found.map(({ address }) => address)
    },
  }
}

async function askJudged(
  { allowed, userAgent }: { allowed: BlockList; userAgent: string },
  url: URL,
  signal: AbortSignal,
): Promise<UrlAnswer> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'refused', reason: 'scheme' }
  if (url.username !== '' || url.password !== '') return { kind: 'refused', reason: 'credentials' }
  const ended = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  try {
    const addresses = await within(ended, resolve(url.hostname))
    if (!addresses.every(({ address }) => mayDial(address, allowed))) return { kind: 'refused', reason: 'address' }
    const [first] = addresses
    if (!first) return { kind: 'failed', reason: 'ENOTFOUND' }
    const { statusCode = 0, headers } = await ask(url, { ...first, userAgent, signal: ended })
    return { kind: 'answered', status: statusCode, location: headers.location ?? null }
  } catch (error) {
    return { kind: 'failed', reason: ended.aborted && !signal.aborted ? 'ETIMEDOUT' : reasonOf(error) }
  }
}

interface Address {
  address: string
  family: number
}

/** A host written as an address is judged like one that was looked up: no look-up happens for it on connecting. */
async function resolve(hostname: string): Promise<Address[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  return family === 0 ? lookup(host, { all: true }) : [{ address: host, family }]
}

function ask(url: URL, to: Address & { userAgent: string; signal: AbortSignal }): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  return new Promise((answer, reject) => {
    const request = (secure ? requestHttps : requestHttp)(url, {
      // An agent of its own: the shared one may be told by the environment to use a proxy.
      agent: secure ? new HttpsAgent() : new HttpAgent(),
      lookup: (_host, options, done) =>
        options.all ? done(null, [{ address: to.address, family: to.family }]) : done(null, to.address, to.family),
      headers: { 'User-Agent': to.userAgent, Accept: '*/*' },
      signal: to.signal,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      answer(response)
      // What follows is nobody's to read, and an error of a connection that is given up is no news.
      request.on('error', () => undefined)
      response.destroy()
    })
    request.end()
  })
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Error('aborted'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  return Promise.race([work, ended])
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error)
