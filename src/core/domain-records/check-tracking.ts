/**
 * Checks whether a customer's host for links leads to us and answers: by an alias, or by the same
 * addresses where no alias can be.
 */
import type { ExpectedRecord } from './expected-records.ts'
import {
  absent,
  recordMatches,
  unanswered,
  wrong,
  type CheckedRecord,
  type RecordCheck,
} from './checked-record.ts'
import { trackingBaseUrl } from '../tracking-base-url.ts'

type TrackingRecord = Extract<ExpectedRecord, { purpose: 'tracking' }>

export async function checkTracking(
  checking: RecordCheck,
  record: TrackingRecord,
): Promise<CheckedRecord> {
  const alias = await checking.resolve(record.name, 'CNAME')
  if (alias.kind === 'found') {
    const leadsHere =
      alias.records.includes(record.target) || (await sharesAddress(checking, record))
    return leadsHere === null
      ? unanswered(record)
      : leadsHere
        ? answering(checking, record, alias.records)
        : wrong(record, alias.records, 'other_host')
  }
  if (alias.kind !== 'none') return absent(alias, record)
  const addresses = await addressesOf(checking, record.name)
  if (addresses === null) return unanswered(record)
  if (addresses.length === 0) return absent(alias, record)
  const leadsHere = await sharesAddress(checking, record)
  if (leadsHere === null) return unanswered(record)
  return leadsHere ? answering(checking, record, addresses) : wrong(record, addresses, 'other_host')
}

/** Links only work once a certificate and the proxy know the name too. */
async function answering(
  checking: RecordCheck,
  record: TrackingRecord,
  there: string[],
): Promise<CheckedRecord> {
  const answers = await checking.answers(trackingBaseUrl(checking.baseUrl, record.name))
  return answers ? recordMatches(record, there) : wrong(record, there, 'does_not_answer')
}

/** Returns null when DNS did not answer. */
async function sharesAddress(
  checking: RecordCheck,
  { name, target }: TrackingRecord,
): Promise<boolean | null> {
  const [others, ours] = await Promise.all([
    addressesOf(checking, name),
    addressesOf(checking, target),
  ])
  return others === null || ours === null ? null : others.some((address) => ours.includes(address))
}

async function addressesOf({ resolve }: RecordCheck, name: string): Promise<string[] | null> {
  const lookups = await Promise.all([resolve(name, 'A'), resolve(name, 'AAAA')])
  if (lookups.some(({ kind }) => kind === 'failed')) return null
  return lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []))
}
