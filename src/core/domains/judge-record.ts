/** What DNS says of one record that a domain should have: found, wrong (and what is there), missing, or not asked. */
import { findDmarc } from '../../dns/dmarc.ts'
import { judgeKeyRecord } from '../../mail/dkim-record.ts'
import type { ExpectedRecord } from './expected-records.ts'
import { judgeSpfRecord } from './judge-spf-record.ts'
import { judgeTracking } from './judge-tracking.ts'
import { absent, found, missing, unanswered, wrong } from './judged-record.ts'
import type { JudgedRecord, Judging } from './judged-record.ts'

export async function judgeRecord(judging: Judging, record: ExpectedRecord): Promise<JudgedRecord> {
  switch (record.purpose) {
    case 'dkim': {
      const lookup = await judging.resolve(record.name, 'TXT')
      if (lookup.kind !== 'found') return absent(lookup, record)
      if (lookup.records.length > 1) return wrong(record, lookup.records, 'several_records')
      const fault = judgeKeyRecord(lookup.records[0] ?? '', record.key)
      return fault ? wrong(record, lookup.records, fault) : found(record, lookup.records)
    }
    case 'return_path': {
      const lookup = await judging.resolve(record.name, 'MX')
      if (lookup.kind !== 'found') return absent(lookup, record)
      const shown = lookup.records.map(({ preference, exchange }) => `${preference} ${exchange}`)
      const { ours, isWhole } = await hostsOf(judging, record.host)
      // RFC 5321 5.1: whoever is preferred gets the bounces; others are asked where those are away.
      const first = Math.min(...lookup.records.map(({ preference }) => preference))
      const preferred = lookup.records.filter(({ preference }) => preference === first)
      if (preferred.every(({ exchange }) => ours.includes(exchange))) return found(record, shown)
      return isWhole ? wrong(record, shown, 'other_host') : unanswered(record)
    }
    case 'spf':
      return judgeSpfRecord(judging, record)
    case 'dmarc': {
      const dmarc = await findDmarc(judging, record.name.replace(/^_dmarc\./, ''))
      if (dmarc.kind === 'failed') return unanswered(record)
      if (dmarc.kind === 'none') return missing(record)
      if (dmarc.kind === 'broken') return wrong(record, dmarc.found, dmarc.found.length > 1 ? 'several_records' : 'unreadable')
      return found(record, [dmarc.text])
    }
    case 'tracking':
      return judgeTracking(judging, record)
    default:
      return record satisfies never
  }
}

/** Our own host, our own domain of return paths, and the hosts that it names itself; `isWhole`: DNS told of those. */
async function hostsOf({ resolve, inboundDomain }: Judging, host: string): Promise<{ ours: string[]; isWhole: boolean }> {
  if (inboundDomain === null) return { ours: [host], isWhole: true }
  const lookup = await resolve(inboundDomain, 'MX')
  const named = lookup.kind === 'found' ? lookup.records.map(({ exchange }) => exchange) : []
  return { ours: [host, inboundDomain, ...named], isWhole: lookup.kind !== 'failed' }
}
