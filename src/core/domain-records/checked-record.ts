/** What came of looking at a record, and what looking needs. */
import type { RecordProblem } from '../../contract/workspace/domains.ts'
import type { RecordStatus } from '../../db/domains/domain-records.ts'
import type { Lookup, Resolve } from '../../dns/lookup.ts'
import type { ExpectedRecord } from './expected-records.ts'

export interface CheckedRecord {
  status: RecordStatus
  /** What is there. */
  found: string[]
  problem: RecordProblem | null
  /** What should be there, given what is. */
  expected: string
}

export interface RecordCheck {
  resolve: Resolve
  /** Whether the service answers at this address. */
  answers(baseUrl: string): Promise<boolean>
  baseUrl: string
  /** The domain of our own return paths; null: there is none. */
  inboundDomain: string | null
}

type Value = Pick<ExpectedRecord, 'value'>

export const found = ({ value }: Value, there: string[]): CheckedRecord => ({
  status: 'found',
  found: there,
  problem: null,
  expected: value,
})
export const wrong = ({ value }: Value, there: string[], problem: RecordProblem): CheckedRecord => ({
  ...{ status: 'wrong', found: there, problem, expected: value },
})
export const missing = ({ value }: Value): CheckedRecord => ({ status: 'missing', found: [], problem: null, expected: value })
export const unanswered = ({ value }: Value): CheckedRecord => ({
  ...{ status: 'unanswered', found: [], problem: 'dns_failed', expected: value },
})

export const absent = (lookup: Exclude<Lookup, { kind: 'found' }>, record: Value): CheckedRecord =>
  lookup.kind === 'failed' ? unanswered(record) : missing(record)
