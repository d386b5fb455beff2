/**
 * Checks whether a return path's SPF record allows all our senders, and proposes a corrected one.
 */
import { isIP } from 'node:net'
import { evaluateSpf, SpfError, spfRecordsOf } from '../../ground/dns/spf.ts'
import { readSpf, termsOf } from '../../ground/dns/spf-record.ts'
import type { ExpectedRecord } from './expected-records.ts'
import {
  recordMatches,
  missing,
  unanswered,
  wrong,
  type CheckedRecord,
  type RecordCheck,
} from './checked-record.ts'

type SpfRecord = Extract<ExpectedRecord, { purpose: 'spf' }>

export async function checkSpfRecord(
  checking: RecordCheck,
  record: SpfRecord,
): Promise<CheckedRecord> {
  try {
    const records = await spfRecordsOf(checking, record.name)
    const [text] = records
    if (text === undefined) return missing(record)
    const absent = records.length > 1 ? 'several_records' : await absentFrom(text, checking, record)
    if (absent.length === 0) return recordMatches(record, records)
    const problem = typeof absent === 'string' ? absent : 'not_authorised'
    return {
      ...wrong(record, records, problem),
      expected: await adviseRecord(records, checking, record),
    }
  } catch (error) {
    if (error instanceof SpfError && error.verdict === 'temperror') return unanswered(record)
    throw error
  }
}

/** The terms that a record does not let through. */
async function absentFrom(
  text: string,
  checking: RecordCheck,
  record: SpfRecord,
): Promise<string[] | 'unreadable'> {
  if ('broken' in readSpf(text)) return 'unreadable'
  const verdicts = await Promise.all(
    record.terms.map((term) => checkTerm(checking, { domain: record.name, text, term })),
  )
  if (verdicts.includes('unreadable')) return 'unreadable'
  return record.terms.filter((_, index) => verdicts[index] === 'absent')
}

/**
 * Keeps what the owner wrote and receivers can read, with our terms before its end, or before all
 * others where one of those matches first. Nothing but our terms where that is no record that lets
 * us through.
 */
async function adviseRecord(
  texts: string[],
  checking: RecordCheck,
  record: SpfRecord,
): Promise<string> {
  const isReadable = (term: string): boolean => !('broken' in readSpf(`v=spf1 ${term}`))
  const readable = [...new Set(texts.flatMap(termsOf))].filter(isReadable)
  const terms = readable.filter((term) => !endPattern.test(term))
  // `- all` is a broken term and one that lets everybody through: that one is never advised.
  const end =
    readable.find((term) => endPattern.test(term) && !/^\+?all$/i.test(term)) ??
    termsOf(record.value).at(-1) ??
    ''
  const write = (...words: string[]): string => ['v=spf1', ...words].join(' ')
  const absent = await absentFrom(write(...terms, end), checking, record)
  if (absent === 'unreadable') return record.value
  const [behind, before] = [write(...terms, ...absent, end), write(...absent, ...terms, end)]
  const { verdict } = await evaluateSpf(checking, {
    address: anyAddress,
    domain: record.name,
    record: behind,
  })
  if (verdict === 'permerror') return record.value
  for (const advice of [behind, before])
    if ((await absentFrom(advice, checking, record)).length === 0) return advice
  return record.value
}

const endPattern = /^[+\-~?]?all$|^redirect=/i

/** Receivers evaluate the whole record for it. */
const anyAddress = '0.0.0.0'

type TermVerdict = 'passes' | 'absent' | 'unreadable'

async function checkTerm(
  checking: RecordCheck,
  { domain, text, term }: { domain: string; text: string; term: string },
): Promise<TermVerdict> {
  const addresses = await addressesOf(checking, term)
  // A foreign `include` cannot be expanded to its addresses: the record must name it, directly or
  // through another record.
  if (addresses === null)
    return (await names(checking, text, { term, left: lookupsMax })) ? 'passes' : 'absent'
  for (const address of addresses) {
    const { verdict, why } = await evaluateSpf(checking, { address, domain, record: text })
    if (verdict === 'temperror') throw new SpfError('temperror', why ?? '')
    if (verdict === 'permerror') return 'unreadable'
    if (verdict !== 'pass') return 'absent'
  }
  return 'passes'
}

/** One address for each network of a term. Null means it refers to another record. */
async function addressesOf({ resolve }: RecordCheck, term: string): Promise<string[] | null> {
  const [, name = '', value = ''] = /^(ip4|ip6|a):([^/]+)/.exec(term) ?? []
  if (name === '') return null
  if (name !== 'a') return isIP(value) === 0 ? null : [value]
  const lookups = await Promise.all([resolve(value, 'A'), resolve(value, 'AAAA')])
  if (lookups.some(({ kind }) => kind === 'failed')) throw new SpfError('temperror', value)
  return lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
}

/**
 * The limit that receivers apply (RFC 7208 4.6.4), whatever the nesting: the record's author
 * decides how many look-ups we make.
 */
const lookupsMax = 10

async function names(
  checking: RecordCheck,
  text: string,
  search: { readonly term: string; left: number },
): Promise<boolean> {
  const words = text
    .toLowerCase()
    .split(/ +/)
    .map((word) => word.replace(/^\+/, ''))
  // Nothing behind `all` is read (RFC 7208 5.1).
  const all = words.findIndex((word) => /^[-~?]?all$/.test(word))
  const terms = all === -1 ? words : words.slice(0, all)
  if (terms.includes(search.term.toLowerCase())) return true
  for (const other of terms) {
    const [, domain] = /^(?:include:|redirect=)([^%]+)$/.exec(other) ?? []
    if (domain === undefined) continue
    if (search.left-- <= 0) return false
    const [record] = await spfRecordsOf(checking, domain)
    if (record !== undefined && (await names(checking, record, search))) return true
  }
  return false
}
