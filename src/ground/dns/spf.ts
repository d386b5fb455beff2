/**
 * Whether an address may send for a domain (RFC 7208 check_host), as receivers work it out. The
 * answer has the domain's record and the kind of a DNS failure, which a page shows; mailauth, which
 * checks each case in the tests, returns neither, and walks no DNS tree for DMARC.
 */
import { BlockList, isIP } from 'node:net'
import type { Lookup, LookupFailure, RecordType, RecordTypes, Resolver } from './lookup.ts'
import { expandMacros } from './spf-macros.ts'
import { readSpf, type Directive } from './spf-record.ts'

export type SpfVerdict =
  | 'pass'
  | 'fail'
  | 'softfail'
  | 'neutral'
  | 'none'
  | 'permerror'
  | 'temperror'

export interface SpfResult {
  verdict: SpfVerdict
  /** The record that was found at the domain; null where there is none, or several. */
  record: string | null
  /** The reason of an error verdict in a few words. Null means no error. */
  why: string | null
}

export interface SpfQuestion {
  /** Of the connection. */
  address: string
  /** Of MAIL FROM. */
  domain: string
  /** The whole MAIL FROM, for macros; `postmaster@domain` when absent (RFC 7208 4.3). */
  sender?: string
  /** Evaluated in place of what DNS has at the domain. */
  record?: string
}

type Ask = Pick<Resolver, 'resolve'>

/** Never rejects. */
export async function evaluateSpf(ask: Ask, question: SpfQuestion): Promise<SpfResult> {
  const check: Check = {
    ...{
      ask,
      lookups: 0,
      voids: 0,
      address: question.address,
      sender: question.sender ?? `postmaster@${question.domain}`,
    },
  }
  try {
    const records =
      question.record === undefined ? await spfRecordsOf(ask, question.domain) : [question.record]
    const [record] = records
    if (records.length > 1)
      return { verdict: 'permerror', record: null, why: 'more than one record' }
    if (record === undefined) return { verdict: 'none', record: null, why: null }
    return { verdict: await checkRecord(check, question.domain, record), record, why: null }
  } catch (error) {
    if (error instanceof SpfError)
      return { verdict: error.verdict, record: null, why: error.message }
    throw error
  }
}

/** RFC 7208 4.5: the version is a word of its own. Throws what DNS did not answer. */
export async function spfRecordsOf(ask: Ask, domain: string): Promise<string[]> {
  const lookup = await ask.resolve(domain, 'TXT')
  if (lookup.kind === 'failed') throw new SpfError('temperror', `DNS: ${lookup.why}`, lookup.why)
  return lookup.kind === 'found'
    ? lookup.records.filter((text) => /^v=spf1(?: |$)/i.test(text))
    : []
}

/** Ends the whole evaluation (RFC 7208 2.6.6, 2.6.7). */
export class SpfError extends Error {
  readonly verdict: 'permerror' | 'temperror'
  readonly failure: LookupFailure | null
  constructor(
    verdict: 'permerror' | 'temperror',
    message: string,
    failure: LookupFailure | null = null,
  ) {
    super(message)
    this.verdict = verdict
    this.failure = failure
  }
}

interface Check {
  ask: Ask
  address: string
  sender: string
  /** Terms that ask DNS, and questions that found nothing (RFC 7208 4.6.4). */
  lookups: number
  voids: number
}

const lookupsMax = 10
const voidsMax = 2

const verdicts: Record<Directive['sign'], SpfVerdict> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
}

async function checkRecord(check: Check, domain: string, record: string): Promise<SpfVerdict> {
  const read = readSpf(record)
  if ('broken' in read) throw new SpfError('permerror', `"${read.broken}" cannot be read`)
  for (const directive of read.directives)
    if (await matches(check, domain, directive)) return verdicts[directive.sign]
  if (read.redirect === null) return 'neutral'
  countLookup(check)
  return checkOther(check, targetOf(check, domain, read.redirect), 'redirect')
}

/** Another domain's record: what it has none of is this record's fault (RFC 7208 5.2, 6.1). */
async function checkOther(check: Check, domain: string, how: string): Promise<SpfVerdict> {
  const records = await spfRecordsOf(check.ask, domain)
  const [record] = records
  if (record === undefined || records.length > 1)
    throw new SpfError(
      'permerror',
      `${how} of ${domain}, which has ${records.length === 0 ? 'no record' : 'several records'}`,
    )
  return checkRecord(check, domain, record)
}

async function matches(
  check: Check,
  domain: string,
  { name, target, bits }: Directive,
): Promise<boolean> {
  switch (name) {
    case 'all':
      return true
    case 'ip4':
    case 'ip6':
      return within(check.address, target, bits)
    case 'include': {
      countLookup(check)
      return (await checkOther(check, targetOf(check, domain, target), 'include')) === 'pass'
    }
    case 'a':
    case 'mx': {
      countLookup(check)
      const at = target === '' ? domain : targetOf(check, domain, target)
      const hosts = name === 'a' ? [at] : await exchangesOf(check, at)
      for (const host of hosts)
        if (
          (await addressesOf(check, host)).some((address) => within(check.address, address, bits))
        )
          return true
      return false
    }
    case 'exists': {
      countLookup(check)
      return (await recordsOf(check, targetOf(check, domain, target), 'A')).length > 0
    }
    case 'ptr':
      // RFC 7208 5.5: do not use. It counts as a look-up, and never matches.
      countLookup(check)
      return false
    default:
      return name satisfies never
  }
}

function countLookup(check: Check): void {
  check.lookups++
  if (check.lookups > lookupsMax)
    throw new SpfError('permerror', `more than ${lookupsMax} look-ups`)
}

function targetOf(check: Check, domain: string, text: string): string {
  const target = expandMacros(text, { domain, address: check.address, sender: check.sender })
  if (target === null || target === '') throw new SpfError('permerror', `"${text}" is no domain`)
  return target
}

async function recordsOf<Type extends RecordType>(
  check: Check,
  name: string,
  type: Type,
): Promise<RecordTypes[Type][]> {
  const lookup: Lookup<Type> = await check.ask.resolve(name, type)
  if (lookup.kind === 'found') return lookup.records
  if (lookup.kind === 'failed')
    throw new SpfError('temperror', `DNS: ${lookup.why} for ${name}`, lookup.why)
  check.voids++
  if (check.voids > voidsMax)
    throw new SpfError('permerror', `more than ${voidsMax} look-ups that find nothing`)
  return []
}

const addressesOf = (check: Check, host: string): Promise<string[]> =>
  recordsOf(check, host, isIP(check.address) === 6 ? 'AAAA' : 'A')

async function exchangesOf(check: Check, domain: string): Promise<string[]> {
  const records = await recordsOf(check, domain, 'MX')
  if (records.length > lookupsMax)
    throw new SpfError('permerror', `${domain} has more than ${lookupsMax} MX records`)
  return records.map(({ exchange }) => exchange).filter((exchange) => exchange !== '.')
}

function within(address: string, network: string, bits: { 4: number; 6: number }): boolean {
  const kind = isIP(address)
  if (kind === 0 || isIP(network) !== kind) return false
  const list = new BlockList()
  const family = kind === 6 ? 'ipv6' : 'ipv4'
  list.addSubnet(network, kind === 6 ? bits[6] : bits[4], family)
  return list.check(address, family)
}
