/**
 * Reads the values of settings: each reader takes one text, and refuses it in one line that says
 * what is expected.
 */
import { isIP } from 'node:net'
import { parseMailbox } from './address.ts'
import { readDomain } from './domain-name.ts'
import { readNameServer } from './dns/servers.ts'
import { parseFailpoints } from './failpoints.ts'
import { endsLoginClearly, escapesInLogin } from './login-in-url.ts'
import { readDatabaseServers } from './database-servers.ts'
import { OperatorError } from './operator-error.ts'

/** `text` is trimmed and not empty; `name` is the variable's. Throws `OperatorError`. */
export type Reader<T> = (text: string, name: string) => T

/** Null is a refusal. `show`: the value in it, as far as it is no secret. */
const reader =
  <T>(expected: string, read: (text: string) => T | null, show = shown): Reader<T> =>
  (text, name) => {
    const value = read(text)
    if (value === null) throw new OperatorError(`${name}${show(text)}: expected ${expected}`)
    return value
  }

const shown = (text: string): string => ` is "${text}"`
const hidden = (): string => ''

export const asText: Reader<string> = (text) => text

export const number = (min: number, max: number): Reader<number> =>
  reader(`a number from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return /^\d+(\.\d+)?$/.test(text) && value >= min && value <= max ? value : null
  })

export const whole =
  (min: number, max: number): Reader<number> =>
  (text, name) => {
    const value = number(min, max)(text, name)
    if (Number.isInteger(value)) return value
    throw new OperatorError(
      `${name}${shown(String(value))}: expected a whole number from ${min} to ${max}`,
    )
  }

export const megabytes: Reader<number> = (text, name) =>
  number(0, 1_000_000_000)(text, name) * 1_000_000

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** In seconds. */
export const duration = reader('a duration from 1s to 365d, such as 30m, 6h or 1d', (text) => {
  const [, count, unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (secondsOf[unit] ?? Number.NaN)
  return seconds >= 1 && seconds <= 365 * 86_400 ? seconds : null
})

/** 0 asks the system for a free port; tests do. */
export const port = whole(0, 65_535)

/** An address, or a name that leads to one of this machine's. */
export const host = reader(
  'an address of this machine, such as 127.0.0.1, ::1 or 0.0.0.0',
  (text) =>
    isIP(text) !== 0 || (/^[\w-]+(?:\.[\w-]+)*\.?$/.test(text) && /[a-z]/i.test(text))
      ? text
      : null,
)

export const choice = <const Choice extends string>(choices: readonly Choice[]): Reader<Choice> =>
  reader(
    choices.join(', '),
    (text) => choices.find((candidate) => candidate === text.toLowerCase()) ?? null,
  )

/** As A-label. */
export const domain = reader('a domain such as bounces.example.com', (text) => {
  const name = readDomain(text)
  return typeof name === 'string' ? name : null
})

/** Without a name. */
export const mailAddress = reader('an address such as postmaster@example.com', (text) => {
  const mailbox = parseMailbox(text)
  return !('rule' in mailbox) && mailbox.name === null ? mailbox.address : null
})

export const failpoints: Reader<string> = (text) => {
  parseFailpoints(text)
  return text
}

export const sourceAddresses = reader(
  'an address of this machine, or one IPv4 and one IPv6 address such as 192.0.2.1,2001:db8::1',
  (text) => {
    const addresses = listOf(text)
    const families = addresses.map(isIP)
    return !families.includes(0) && new Set(families).size === families.length ? addresses : null
  },
)

export const baseUrl = reader(
  'an address without a path, such as https://mail.example.com',
  (text) => {
    const url = URL.parse(text)
    const isPlain =
      url &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password + url.search + url.hash === '' &&
      url.pathname === '/'
    return isPlain ? url.origin : null
  },
  withoutLogin,
)

function withoutLogin(text: string): string {
  return shown(text.replace(/\/\/.*@/s, '//***@'))
}

const tracesPath = '/v1/traces'

/**
 * The address of a signal is used whole (OpenTelemetry, OTLP exporter: Endpoint URLs for
 * OTLP/HTTP).
 */
export const tracesEndpoint = reader(
  `the whole address of a collector's traces, such as http://127.0.0.1:4318${tracesPath}`,
  (text) => collectorUrl(text)?.href ?? null,
  withoutLogin,
)

/** The base of all signals, its own path included: that of traces is added to it. */
export const collectorBase = reader(
  `the base of a collector's addresses, such as http://127.0.0.1:4318: ${tracesPath} is added to it. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT takes a whole address`,
  (text) => {
    const base = collectorUrl(text)?.href.replace(/\/$/, '')
    return base === undefined || base.endsWith(tracesPath) ? null : `${base}${tracesPath}`
  },
  withoutLogin,
)

function collectorUrl(text: string): URL | null {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) && url.search + url.hash === '' ? url : null
}

export const databaseUrl: Reader<string> = (text, name) => {
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new OperatorError(
      `${name}: expected an address such as postgres://user:password@host:5432/facteur`,
    )
  if (!endsLoginClearly(text))
    throw new OperatorError(`${name}: it is not clear where the password ends; ${escapesInLogin}`)
  try {
    readDatabaseServers(text)
  } catch (error) {
    throw new OperatorError(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  return text
}

export const trustProxy = reader(
  'true, false, or the addresses of the proxies, such as 10.0.0.0/8,::1',
  (text) => {
    if (/^(false|no|0)$/i.test(text)) return false
    if (/^(true|yes|1)$/i.test(text)) return true
    return text.split(',').every(isRange) ? text : null
  },
)

export const ranges = reader(
  'addresses and ranges of them, such as 10.0.0.0/8,fd00::/8',
  (text) => {
    const listed = listOf(text)
    if (!listed.every(isRange)) return null
    return listed.map((range) =>
      range.includes('/') ? range : `${range}/${isIP(range) === 4 ? 32 : 128}`,
    )
  },
)

function isRange(text: string): boolean {
  const [address, bits, ...rest] = text.trim().split('/')
  const kind = isIP(address ?? '')
  if (kind === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
}

export const spf = reader(
  'terms of SPF, such as ip4:192.0.2.10 or include:spf.relay.example',
  (text) => (termsOf(text).every(isSpfTerm) ? termsOf(text) : null),
  (text) => shown(termsOf(text).join(' ')),
)

const termsOf = (text: string): string[] => text.split(/[\s,]+/)

/** RFC 7208 5: the mechanisms that name sources of mail. */
function isSpfTerm(term: string): boolean {
  const [, mechanism = '', value = ''] = /^(ip4|ip6|a|include):(.+)$/i.exec(term) ?? []
  const [name = ''] = value.split('/')
  switch (mechanism.toLowerCase()) {
    case 'ip4':
      return isIP(name) === 4 && isRange(value)
    case 'ip6':
      return isIP(name) === 6 && isRange(value)
    case 'a':
      return isSpfDomain(name) && /^[^/]+(?:\/(?:\d|[12]\d|3[0-2]))?$/.test(value)
    default:
      return isSpfDomain(value)
  }
}

/** A name that holds SPF records may have underscores, such as _spf.relay.example. */
const isSpfDomain = (name: string): boolean =>
  name.length <= 253 &&
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(name)

export const nameServers = reader(
  'addresses of name servers, such as 127.0.0.1,192.0.2.53:5353,[::1]:5353',
  (text) => {
    const servers = listOf(text)
    return servers.every((server) => readNameServer(server) !== null) ? servers : null
  },
)

const listOf = (text: string): string[] => text.split(',').map((part) => part.trim())

export const masterKey = reader(
  '32 random bytes in base64, as `openssl rand -base64 32` prints them',
  parseMasterKey,
  hidden,
)

/** The 32 bytes that a base64 text stands for; null when it does not. */
export function parseMasterKey(text: string): Buffer | null {
  // Node.js skips characters outside base64, which would give another key than the written one.
  if (!/^[\w+/-]{43}=?$/.test(text.trim())) return null
  return Buffer.from(text.trim(), 'base64')
}

export const token = reader(
  'at least 16 characters that are hard to guess',
  (text) => (text.length >= 16 ? text : null),
  hidden,
)
