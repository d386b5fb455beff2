/** What came of looking at a record, and what looking needs. */
import type { RecordProblem } from '../../contract/workspace/domains.ts'
import type { RecordStatus } from '../../db/domain-records.ts'
import type { Lookup, Resolve } from '../../dns/lookup.ts'
import type { ExpectedRecord } from './expected-records.ts'

export interface JudgedRecord {
  status: RecordStatus
  /** What is there. */
  found: string[]
  problem: RecordProblem | null
  /** What should be there, given what is. */
  expected: string
}

export interface Judging {
  resolve: Resolve
  /** Whether the service answers at this address. */
  answers(baseUrl: string): Promise<boolean>
  baseUrl: string
  /** The domain of our own return paths; null: there is none. */
  inboundDomain: string | null
}

type Value = Pick<ExpectedRecord, 'value'>

export const found = ({ value }: Value, there: string[]): JudgedRecord => ({
  status: 'found',
  found: there,
  problem: null,
  expected: value,
})
export const wrong = ({ value }: Value, there: string[], problem: RecordProblem): JudgedRecord => ({
  ...{ status: 'wrong', found: there, problem, expected: value },
})
export const missing = ({ value }: Value): JudgedRecord => ({ status: 'missing', found: [], problem: null, expected: value })
export const unanswered = ({ value }: Value): JudgedRecord => ({
  ...{ status: 'unanswered', found: [], problem: 'dns_failed', expected: value },
})

export const absent = (lookup: Exclude<Lookup, { kind: 'found' }>, record: Value): JudgedRecord =>
  lookup.kind === 'failed' ? unanswered(record) : missing(record)
