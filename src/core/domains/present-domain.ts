/**
 * Presents a domain without querying DNS: its state, its keys, and the last result of its records'
 * checks.
 */
import type { RecordProblem } from '../../contract/workspace/domains.ts'
import { domainsOf, type DomainRow } from '../../db/domains/domains.ts'
import { domainKeysOf, type KeyAlgorithm, type KeyState } from '../../db/domains/domain-keys.ts'
import {
  domainRecordsOf,
  type RecordPurpose,
  type RecordStatus,
} from '../../db/domains/domain-records.ts'
import type { Context } from '../context.ts'
import { expectedRecords, type ExpectedRecord } from '../domain-records/expected-records.ts'

export interface PresentedRecord {
  purpose: RecordPurpose
  type: string
  name: string
  /** The value to publish when there is none. */
  value: string
  required: boolean
  /** Null if it is not checked yet. */
  status: RecordStatus | null
  found: string[]
  problem: RecordProblem | null
  /** The value that should be there, given the present one. */
  expected: string
  /** The state of a DKIM record's key. */
  key: { algorithm: KeyAlgorithm; state: KeyState; retireAt: Date | null } | null
}

export interface PresentedDomain extends DomainRow {
  records: PresentedRecord[]
}

/** Returns null when the workspace has no such domain. */
export async function presentDomain(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<PresentedDomain | null> {
  const domain = (await domainsOf(db, workspaceId)).find((row) => row.name === name)
  if (!domain) return null
  const keys = await domainKeysOf(db, workspaceId, name)
  const checked = await domainRecordsOf(db, workspaceId, name)
  const records = expectedRecords(domain, keys, settings).map((record) => {
    const last = checked.find((row) => row.name === record.name && row.type === record.type)
    return presentRecord(record, last ?? { status: null, found: [], problem: null, expected: null })
  })
  return { ...domain, records }
}

export function presentRecord(
  record: ExpectedRecord,
  checked: {
    status: RecordStatus | null
    found: string[]
    problem: RecordProblem | null
    expected: string | null
  },
): PresentedRecord {
  const { purpose, type, name, value, required } = record
  const { status, found: result, problem } = checked
  const expected = checked.expected ?? value
  if (record.purpose !== 'dkim')
    return {
      purpose,
      type,
      name,
      value,
      required,
      status,
      found: result,
      problem,
      expected,
      key: null,
    }
  const { algorithm, state, retireAt } = record.key
  return {
    purpose,
    type,
    name,
    value,
    required,
    status,
    found: result,
    problem,
    expected,
    key: { algorithm, state, retireAt },
  }
}
