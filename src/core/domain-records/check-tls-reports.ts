/**
 * Checks whether a host asks for TLS reports at our address (RFC 8460 3), and proposes a record
 * that does.
 */
import { readTagList } from '../../ground/dns/read-tags.ts'
import type { ExpectedRecord } from './expected-records.ts'
import {
  absent,
  recordMatches,
  missing,
  wrong,
  type CheckedRecord,
  type RecordCheck,
} from './checked-record.ts'

type TlsReportsRecord = Extract<ExpectedRecord, { purpose: 'tls_reports' }>

export async function checkTlsReports(
  { resolve }: RecordCheck,
  record: TlsReportsRecord,
): Promise<CheckedRecord> {
  const lookup = await resolve(record.name, 'TXT')
  if (lookup.kind !== 'found') return absent(lookup, record)
  // RFC 8460 3: other texts at the name are ignored, and of several records none counts.
  const records = lookup.records.filter((text) => /^v=TLSRPTv1\s*(?:;|$)/.test(text))
  const [text] = records
  if (text === undefined) return missing(record)
  if (records.length > 1) return wrong(record, records, 'several_records')
  const addresses = addressesOf(text)
  if (addresses.length === 0) return wrong(record, records, 'unreadable')
  if (addresses.some((address) => isOurs(address, record))) return recordMatches(record, records)
  const expected = `v=TLSRPTv1; rua=${[...addresses, `mailto:${record.address}`].join(',')}`
  return { ...wrong(record, records, 'other_host'), expected }
}

/** The addresses of `rua`: mailboxes and pages that take reports. */
const addressesOf = (text: string): string[] =>
  (readTagList(text).get('rua') ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => /^(?:mailto:\S+@|https:\/\/)\S+$/i.test(address))

/** The address is the same on each host that leads here: also on the one that the record is of. */
function isOurs(address: string, { name, address: ours }: TlsReportsRecord): boolean {
  const [localPart = ''] = ours.split('@')
  const host = name.replace(/^_smtp\._tls\./, '')
  return [`mailto:${ours}`, `mailto:${localPart}@${host}`].includes(address.toLowerCase())
}
