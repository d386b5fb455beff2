/**
 * Authorizes the operator for captured mail and metrics: by the token, or by a request from this
 * machine.
 */
import { leadsHere } from '../../ground/is-loopback.ts'
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'

/** A request, with the parts that say where it comes from. */
export interface OperatorRequest {
  /** The socket's own address. */
  peer: string | undefined
  headers: Record<string, string | string[] | undefined>
}

/**
 * Whether a request may read what is the operator's. Where the base URL is public, only the token
 * opens: a proxy on this machine is a loopback peer too, and need not name for whom it asks
 * (security: "here" is decided by the base URL).
 */
export const isOperator = (
  request: OperatorRequest,
  { token, baseUrl }: { token: string | null; baseUrl: string },
): boolean => bearsToken(request, token) || (leadsHere(baseUrl) && isAtThisMachine(request))

/**
 * Whether the request was made on this machine. The peer, the Host and every address that a proxy
 * names must be loopback. Host matters because a foreign page whose name was rebound to 127.0.0.1
 * still asks for its own name. A proxy's headers count here whether it is trusted or not: they can
 * only deny access, never allow it.
 */
export function isAtThisMachine({ peer, headers }: OperatorRequest): boolean {
  const spokenFor = ['x-forwarded-for', 'x-real-ip']
    .flatMap((name) => texts(headers[name]))
    .flatMap((list) => list.split(','))
  const hosts = [headers['host'] ?? '', headers['x-forwarded-host'] ?? 'localhost'].flatMap(texts)
  return (
    [peer ?? '', ...spokenFor].every(isLoopbackAddress) &&
    hosts.every(isLoopbackHost) &&
    headers['forwarded'] === undefined
  )
}

const texts = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : [value].flat()

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isLoopbackAddress(text: string): boolean {
  const address = text.trim()
  const kind = isIP(address)
  // An IPv4 address in IPv6 form (::ffff:127.0.0.1) is checked as IPv4.
  return kind !== 0 && loopback.check(address, kind === 4 ? 'ipv4' : 'ipv6')
}

/** `localhost:3025`, `127.0.0.1`, `[::1]:3025`. */
function isLoopbackHost(host: string): boolean {
  const name = /^(.*?)(?::\d{1,5})?$/.exec(host.trim().toLowerCase())?.[1] ?? ''
  return name === 'localhost' || isLoopbackAddress(/^\[(.+)\]$/.exec(name)?.[1] ?? name)
}

/** Whether `Authorization: Bearer` has the token. */
export function bearsToken(
  { headers }: Pick<OperatorRequest, 'headers'>,
  token: string | null,
): boolean {
  const bearer = /^bearer +(\S+) *$/i.exec(headers['authorization']?.toString() ?? '')?.[1]
  return bearer !== undefined && isToken(bearer, token)
}

/**
 * Compares digests, so that the time taken reveals neither a correct prefix nor the token's length.
 */
export function isToken(candidate: string, token: string | null): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return token !== null && timingSafeEqual(digest(candidate), digest(token))
}

/**
 * How long the browser's cookie is valid instead of the token; a changed token invalidates it too.
 */
export const sessionSeconds = 12 * 3600

export function makeSession(token: string, now: Date): string {
  const endsAt = String(Math.floor(now.getTime() / 1000) + sessionSeconds)
  return `${endsAt}.${signSession(endsAt, token)}`
}

export function isSession(session: string, token: string | null, now: Date): boolean {
  const [, endsAt, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(session) ?? []
  if (!endsAt || !signature || token === null || Number(endsAt) * 1000 <= now.getTime())
    return false
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signSession(endsAt, token)))
}

const signSession = (endsAt: string, token: string): string =>
  createHmac('sha256', token).update(`operator session until ${endsAt}`).digest('base64url')
