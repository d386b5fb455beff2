/** Defines the result of checking a record, and what the check needs. */
import type { RecordProblem } from '../../contract/workspace/domains.ts'
import type { RecordStatus } from '../../db/domains/domain-records.ts'
import type { Lookup, Resolve } from '../../ground/dns/lookup.ts'
import type { ExpectedRecord } from './expected-records.ts'

export interface CheckedRecord {
  status: RecordStatus
  /** The values in DNS. */
  found: string[]
  problem: RecordProblem | null
  /** The value that should be there, given the present one. */
  expected: string
}

export interface RecordCheck {
  resolve: Resolve
  /** Whether the service answers at this address. */
  answers(baseUrl: string): Promise<boolean>
  baseUrl: string
  /** The domain of our own return paths. Null if there is none. */
  inboundDomain: string | null
}

type Value = Pick<ExpectedRecord, 'value'>

export const recordMatches = ({ value }: Value, there: string[]): CheckedRecord => ({
  status: 'found',
  found: there,
  problem: null,
  expected: value,
})
export const wrong = (
  { value }: Value,
  there: string[],
  problem: RecordProblem,
): CheckedRecord => ({
  ...{ status: 'wrong', found: there, problem, expected: value },
})
export const missing = ({ value }: Value): CheckedRecord => ({
  status: 'missing',
  found: [],
  problem: null,
  expected: value,
})
export const unanswered = ({ value }: Value): CheckedRecord => ({
  ...{ status: 'unanswered', found: [], problem: 'dns_failed', expected: value },
})

export const absent = (lookup: Exclude<Lookup, { kind: 'found' }>, record: Value): CheckedRecord =>
  lookup.kind === 'failed' ? unanswered(record) : missing(record)
