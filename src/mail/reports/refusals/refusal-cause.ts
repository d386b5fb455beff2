/**
 * Describes a refusal that names its cause: its provider, the words of the reply, and the
 * requirement that the sender does not meet.
 */
import type { Requirement } from '../../../contract/requirements.ts'

export interface RefusalCause {
  /** Counters store it: it is never renamed. */
  id: string
  /** Whose rule it is. Null if many servers use these words. */
  provider: string | null
  requirement: RefusedRequirement
  /** Its words in a reply whose white space is single and whose addresses are removed. */
  says: RegExp
  /** Applies only to replies that no row of a provider describes. */
  isGeneral?: true
  /** Where the sender asks or enrols; `{ip}` and `{domain}` are the sender's. */
  link?: string
  /** The page that documents the reply, or where it was observed. */
  source: string
  /** When that was read. */
  readOn: string
}

/** No server refuses for the others by a reply of its own. */
export type RefusedRequirement = Exclude<Requirement, 'one_click' | 'visible_link' | 'volume'>

type Row = Omit<RefusalCause, 'provider' | 'source' | 'readOn'> & { source?: string }

/** The rows of one provider, which one page documents unless a row names its own. */
export const causesOf = (
  { provider, source, readOn }: Pick<RefusalCause, 'provider' | 'source' | 'readOn'>,
  rows: Row[],
): RefusalCause[] => rows.map((row) => ({ provider, source, readOn, ...row }))
