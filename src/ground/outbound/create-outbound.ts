/**
 * The one outbound HTTP client for URLs that others choose (security: What goes out).
 *
 * 1. http or https, no user and password in the address
 * 2. the name is looked up as a connection is opened; every address must be one that we may dial,
 *    also where the host is written as an address
 * 3. the connection goes to a checked address, and later calls reuse it; no proxy, no redirect is
 *    followed
 * 4. a time for the whole call, from the look-up to the end of the answer; of its body no more is
 *    read than was asked for
 */
import { lookup } from 'node:dns/promises'
import { isIP, type BlockList } from 'node:net'
import { callOnce } from './call-once.ts'
import { checkAddress, literalOf, type RefusalReason } from './check-address.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-call.ts'
import type { Address, ResolveAddress } from './checking-connector.ts'
import type { Agents } from './open-agents.ts'

export type { OutboundAnswer, OutboundRequest } from './outbound-call.ts'

/** The outcome of a request for a page. */
export type UrlAnswer =
  | { kind: 'answered'; status: number; location: string | null }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'failed'; reason: string }

/** The refusals that the URL itself shows. */
export type UrlRefusal = Exclude<RefusalReason, 'port'>

export interface Outbound {
  /** Calls once. Never rejects. */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /**
   * Asks for a page of the web by GET; of the answer its status and where it points to are read.
   * Never rejects.
   */
  ask(url: URL, signal: AbortSignal): Promise<UrlAnswer>
  /**
   * Why this address would not be called, as far as it shows without a look-up. Null if it may be.
   */
  check(url: URL, options?: { plainHttp?: boolean }): UrlRefusal | null
  /** The addresses of a host's name; none when it is unknown. A literal address answers itself. */
  addressesOf(host: string): Promise<string[]>
  /** Ends the connections that are kept. */
  close(): Promise<void>
}

export interface OutboundOptions {
  /** Ranges that may be dialled although they are not public. */
  allowed: BlockList
  /** Whether there are any: else http is refused before anything is looked up. */
  allowsRanges: boolean
  userAgent: string
  /** The system's resolver unless given. */
  resolve?: ResolveAddress
  /** Authorities that sign servers' certificates, PEM; those of Node.js unless given. */
  authorities?: string
}

const askWithinMs = 15_000

export function createOutbound(options: OutboundOptions): Outbound {
  const { allowed, userAgent, resolve = resolveBySystem, authorities } = options
  let opened: Promise<Agents> | null = null
  // The client is loaded for the first call: most processes make none.
  const agents = (): Promise<Agents> =>
    (opened ??= import('./open-agents.ts').then(({ openAgents }) =>
      openAgents({ allowed, resolve, authorities }),
    ))
  const send = async (request: OutboundRequest): Promise<OutboundAnswer> => {
    const { url, plainHttp = false, webPortsOnly = false } = request
    const refusal = checkUrl(options, url, plainHttp)
    if (refusal) return { kind: 'refused', reason: refusal }
    const { plain, strict, web } = await agents()
    return callOnce(webPortsOnly ? web : plainHttp ? plain : strict, {
      ...request,
      headers: { 'user-agent': userAgent, ...request.headers },
    })
  }
  return {
    send,
    async ask(url, signal) {
      const headers = { accept: '*/*' }
      const page = { plainHttp: true, webPortsOnly: true }
      const answer = await send({
        method: 'GET',
        url,
        headers,
        signal,
        withinMs: askWithinMs,
        readMax: 0,
        ...page,
      })
      if (answer.kind === 'failed') return { kind: 'failed', reason: answer.reason }
      if (answer.kind === 'refused') return answer
      const { location } = answer.headers
      return {
        kind: 'answered',
        status: answer.status,
        location: (Array.isArray(location) ? location[0] : location) ?? null,
      }
    },
    check: (url, { plainHttp = false } = {}) => checkUrl(options, url, plainHttp),
    addressesOf: async (host) => {
      const result = await resolveHost(resolve, host).catch(() => [])
      return result.map(({ address }) => address)
    },
    close: async () => {
      const agentsOpen = await opened
      await Promise.all(
        Object.values(agentsOpen ?? {}).map((agent: Agents['web']) => agent.destroy()),
      )
    },
  }
}

function checkUrl(
  { allowed, allowsRanges }: OutboundOptions,
  url: URL,
  plainHttp: boolean,
): UrlRefusal | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme'
  if (url.username !== '' || url.password !== '') return 'credentials'
  if (url.protocol === 'http:' && !plainHttp && !allowsRanges) return 'plain_http'
  const literal = literalOf(url.hostname)
  return literal === null
    ? null
    : checkAddress(literal, { allowed, plainHttp: plainHttp || url.protocol === 'https:' })
}

/** The system's own look-up: hosts file, search list and all. */
const resolveBySystem: ResolveAddress = (host) => lookup(host, { all: true })

function resolveHost(resolve: ResolveAddress, hostname: string): Promise<Address[]> {
  const literal = literalOf(hostname)
  return literal === null
    ? resolve(hostname)
    : Promise.resolve([{ address: literal, family: isIP(literal) }])
}
