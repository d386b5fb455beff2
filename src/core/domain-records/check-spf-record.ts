/** Checks whether a return path's SPF record allows all our senders, and proposes a corrected one. */
import { isIP } from 'node:net'
import { evaluateSpf, SpfError, spfRecordsOf } from '../../dns/spf.ts'
import type { ExpectedRecord } from './expected-records.ts'
import { found, missing, unanswered, wrong, type CheckedRecord, type RecordCheck } from './checked-record.ts'

type SpfRecord = Extract<ExpectedRecord, { purpose: 'spf' }>

export async function checkSpfRecord(checking: RecordCheck, record: SpfRecord): Promise<CheckedRecord> {
  try {
    const records = await spfRecordsOf(checking, record.name)
    const [text] = records
    if (text === undefined) return missing(record)
    if (records.length > 1) return wrong(record, records, 'several_records')
    const verdicts = await Promise.all(record.terms.map((term) => checkTerm(checking, { domain: record.name, text, term })))
    if (verdicts.includes('unreadable')) return wrong(record, records, 'unreadable')
    const absent = record.terms.filter((_, index) => verdicts[index] === 'absent')
    if (absent.length === 0) return found(record, records)
    return { ...wrong(record, records, 'not_authorised'), expected: withTerms(text, absent) }
  } catch (error) {
    if (error instanceof SpfError && error.verdict === 'temperror') return unanswered(record)
    throw error
  }
}

type TermVerdict = 'passes' | 'absent' | 'unreadable'

async function checkTerm(
  checking: RecordCheck,
  { domain, text, term }: { domain: string; text: string; term: string },
): Promise<TermVerdict> {
  const addresses = await addressesOf(checking, term)
  // A foreign `include` cannot be expanded to its addresses: the record must name it, directly or through another record.
  if (addresses === null) return (await names(checking, text, { term, left: lookupsMax })) ? 'passes' : 'absent'
  for (const address of addresses) {
    const { verdict, why } = await evaluateSpf(checking, { address, domain })
    if (verdict === 'temperror') throw new SpfError('temperror', why ?? '')
    if (verdict === 'permerror') return 'unreadable'
    if (verdict !== 'pass') return 'absent'
  }
  return 'passes'
}

/** One address for each network of a term; null: it refers to another record. */
async function addressesOf({ resolve }: RecordCheck, term: string): Promise<string[] | null> {
  const [, name = '', value = ''] = /^(ip4|ip6|a):([^/]+)/.exec(term) ?? []
  if (name === '') return null
  if (name !== 'a') return isIP(value) === 0 ? null : [value]
  const lookups = await Promise.all([resolve(value, 'A'), resolve(value, 'AAAA')])
  if (lookups.some(({ kind }) => kind === 'failed')) throw new SpfError('temperror', value)
  return lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
}

/**
 * The limit that receivers apply (RFC 7208 4.6.4), whatever the nesting: the record's author decides how many look-ups we make.
 */
const lookupsMax = 10

async function names(checking: RecordCheck, text: string, search: { readonly term: string; left: number }): Promise<boolean> {
  const terms = text
    .toLowerCase()
    .split(/ +/)
    .map((word) => word.replace(/^\+/, ''))
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

/** Inserts terms before the record's end: its `all` or `redirect`. */
function withTerms(text: string, terms: string[]): string {
  const words = text.split(/ +/)
  const end = words.findIndex((word) => /^[+\-~?]?all$|^redirect=/i.test(word))
  return words.toSpliced(end === -1 ? words.length : end, 0, ...terms).join(' ')
}
