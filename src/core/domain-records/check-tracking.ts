/**
 * Checks whether a customer's host for links leads to us and answers: by an alias, or by the same addresses where no alias can
 * be.
 */
import type { ExpectedRecord } from './expected-records.ts'
import { absent, found, unanswered, wrong } from './checked-record.ts'
import type { CheckedRecord, RecordCheck } from './checked-record.ts'
import { trackingBaseUrl } from '../tracking-base-url.ts'

type TrackingRecord = Extract<ExpectedRecord, { purpose: 'tracking' }>

export async function checkTracking(judging: RecordCheck, record: TrackingRecord): Promise<CheckedRecord> {
  const alias = await judging.resolve(record.name, 'CNAME')
  if (alias.kind === 'found') {
    const leadsHere = alias.records.includes(record.target) || (await sharesAddress(judging, record))
    return leadsHere === null
      ? unanswered(record)
      : leadsHere
        ? answering(judging, record, alias.records)
        : wrong(record, alias.records, 'other_host')
  }
  if (alias.kind !== 'none') return absent(alias, record)
  const addresses = await addressesOf(judging, record.name)
  if (addresses === null) return unanswered(record)
  if (addresses.length === 0) return absent(alias, record)
  const leadsHere = await sharesAddress(judging, record)
  if (leadsHere === null) return unanswered(record)
  return leadsHere ? answering(judging, record, addresses) : wrong(record, addresses, 'other_host')
}

/** Links only work once a certificate and the proxy know the name too. */
async function answering(judging: RecordCheck, record: TrackingRecord, there: string[]): Promise<CheckedRecord> {
  const answers = await judging.answers(trackingBaseUrl(judging.baseUrl, record.name))
  return answers ? found(record, there) : wrong(record, there, 'does_not_answer')
}

/** Returns null when DNS did not answer. */
async function sharesAddress(judging: RecordCheck, { name, target }: TrackingRecord): Promise<boolean | null> {
  const [theirs, ours] = await Promise.all([addressesOf(judging, name), addressesOf(judging, target)])
  return theirs === null || ours === null ? null : theirs.some((address) => ours.includes(address))
}

async function addressesOf({ resolve }: RecordCheck, name: string): Promise<string[] | null> {
  const lookups = await Promise.all([resolve(name, 'A'), resolve(name, 'AAAA')])
  if (lookups.some(({ kind }) => kind === 'failed')) return null
  return lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
}
