/** Checks one DNS record of a domain: found, wrong (with its value), missing, or unknown. */
import { findDmarc } from '../../ground/dns/dmarc.ts'
import { checkKeyRecord } from '../../mail/signing/dkim-record.ts'
import type { ExpectedRecord } from './expected-records.ts'
import { checkSpfRecord } from './check-spf-record.ts'
import { checkTlsReports } from './check-tls-reports.ts'
import { checkTracking } from './check-tracking.ts'
import {
  absent,
  recordMatches,
  missing,
  unanswered,
  wrong,
  type CheckedRecord,
  type RecordCheck,
} from './checked-record.ts'

export async function checkRecord(
  checking: RecordCheck,
  record: ExpectedRecord,
): Promise<CheckedRecord> {
  switch (record.purpose) {
    case 'dkim': {
      const lookup = await checking.resolve(record.name, 'TXT')
      if (lookup.kind !== 'found') return absent(lookup, record)
      if (lookup.records.length > 1) return wrong(record, lookup.records, 'several_records')
      const fault = checkKeyRecord(lookup.records[0] ?? '', record.key)
      return fault ? wrong(record, lookup.records, fault) : recordMatches(record, lookup.records)
    }
    case 'return_path': {
      const lookup = await checking.resolve(record.name, 'MX')
      if (lookup.kind !== 'found') return absent(lookup, record)
      const shown = lookup.records.map(({ preference, exchange }) => `${preference} ${exchange}`)
      const { ours, isWhole } = await hostsOf(checking, record.host)
      // RFC 5321 5.1: the host with the lowest preference value receives the bounces; others only
      // when it is away.
      const first = Math.min(...lookup.records.map(({ preference }) => preference))
      const preferred = lookup.records.filter(({ preference }) => preference === first)
      if (preferred.every(({ exchange }) => ours.includes(exchange)))
        return recordMatches(record, shown)
      return isWhole ? wrong(record, shown, 'other_host') : unanswered(record)
    }
    case 'spf':
      return checkSpfRecord(checking, record)
    case 'dmarc': {
      const dmarc = await findDmarc(checking, record.name.replace(/^_dmarc\./, ''))
      if (dmarc.kind === 'failed') return unanswered(record)
      if (dmarc.kind === 'none') return missing(record)
      if (dmarc.kind === 'broken')
        return wrong(record, dmarc.texts, dmarc.texts.length > 1 ? 'several_records' : 'unreadable')
      return recordMatches(record, [dmarc.text])
    }
    case 'tls_reports':
      return checkTlsReports(checking, record)
    case 'tracking':
      return checkTracking(checking, record)
    default:
      return record satisfies never
  }
}

/**
 * Our own host, our return path domain, and the hosts that it names; `isWhole`: DNS answered for
 * those.
 */
async function hostsOf(
  { resolve, inboundDomain }: RecordCheck,
  host: string,
): Promise<{ ours: string[]; isWhole: boolean }> {
  if (inboundDomain === null) return { ours: [host], isWhole: true }
  const lookup = await resolve(inboundDomain, 'MX')
  const named = lookup.kind === 'found' ? lookup.records.map(({ exchange }) => exchange) : []
  return { ours: [host, inboundDomain, ...named], isWhole: lookup.kind !== 'failed' }
}
