/**
 * Reads an SPF record whole, before any of it is evaluated: one fault of syntax spoils all of it
 * (RFC 7208 4.6, 12).
 */
import { isIP } from 'node:net'

export interface SpfRecord {
  directives: Directive[]
  /** The domain whose record goes on where no directive matches. */
  redirect: string | null
}

export interface Directive {
  sign: '+' | '-' | '~' | '?'
  name: Mechanism
  /**
   * As it is written, with its macros. Empty means the record's own domain. Of `ip4` and `ip6`, the
   * address.
   */
  target: string
  bits: { 4: number; 6: number }
}

const mechanisms = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
export type Mechanism = (typeof mechanisms)[number]

/** The words of a record behind its version. */
export const termsOf = (record: string): string[] =>
  record
    .split(/ +/)
    .slice(1)
    .filter((term) => term !== '')

/** `broken`: the first term that cannot be read. */
export function readSpf(record: string): SpfRecord | { broken: string } {
  const directives: Directive[] = []
  const once = new Map<string, string>()
  for (const term of termsOf(record)) {
    const [, modifier, value = ''] = /^([a-z][\w.-]*)=(.*)$/i.exec(term) ?? []
    const name = modifier?.toLowerCase()
    if (name === undefined) {
      const directive = readDirective(term)
      if (directive === null) return { broken: term }
      directives.push(directive)
    } else if (name === 'redirect' || name === 'exp') {
      if (once.has(name) || !isDomainSpec(value)) return { broken: term }
      once.set(name, value)
    } else if (name === 'v' || !macroString.test(value)) {
      // Two records in one: some receivers ignore the second version as a modifier, others read a
      // fault.
      return { broken: term }
    }
  }
  return { directives, redirect: once.get('redirect') ?? null }
}

function readDirective(term: string): Directive | null {
  const [, sign = '+', written = '', rest = ''] =
    /^([+\-~?])?([a-z]+[0-9]?)(?![\w.-])(.*)$/i.exec(term) ?? []
  const name = mechanisms.find((mechanism) => mechanism === written.toLowerCase())
  const read = name === undefined ? null : readRest(name, rest)
  return name === undefined || read === null
    ? null
    : { sign: sign as Directive['sign'], name, ...read }
}

function readRest(name: Mechanism, rest: string): Pick<Directive, 'target' | 'bits'> | null {
  const whole = { 4: 32, 6: 128 }
  const target = rest.slice(1)
  switch (name) {
    case 'all':
      return rest === '' ? { target: '', bits: whole } : null
    case 'include':
    case 'exists':
      return isNamed(rest) ? { target, bits: whole } : null
    case 'ptr':
      return rest === '' || isNamed(rest) ? { target, bits: whole } : null
    case 'a':
    case 'mx': {
      const [, named = '', four = '32', six = '128'] =
        /^(.*?)(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/.exec(rest) ?? []
      if ((named !== '' && !isNamed(named)) || Number(four) > 32 || Number(six) > 128) return null
      return { target: named.slice(1), bits: { 4: Number(four), 6: Number(six) } }
    }
    case 'ip4':
    case 'ip6': {
      const family = name === 'ip4' ? 4 : 6
      const [, address = '', bits] = /^:([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(rest) ?? []
      const width = Number(bits ?? whole[family])
      return isIP(address) === family && width <= whole[family]
        ? { target: address, bits: { 4: width, 6: width } }
        : null
    }
    default:
      return name satisfies never
  }
}

const isNamed = (rest: string): boolean => rest.startsWith(':') && isDomainSpec(rest.slice(1))

/** RFC 7208 7.1. Each character begins one alternative only. */
const macroString = /^(?:[!-$&-~]|%[%_-]|%\{[slodiphcrtv][0-9]*r?[.\-+,/_=]*\})*$/i

/** Ends in a label of a top-level domain, or in a macro. */
const isDomainSpec = (text: string): boolean =>
  macroString.test(text) &&
  /(?:%\{[^{}]*\}|%[%_-]|\.(?!\d+\.?$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.?)$/i.test(text)
