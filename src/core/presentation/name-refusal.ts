/**
 * Names the cause of a refusal for programs; core/refusals/explain-refusals.ts explains it to
 * people.
 */
import type { RefusalName } from '../../contract/workspace/refusals.ts'
import { findRefusalCause } from '../../mail/reports/refusals/find-refusal-cause.ts'

/** Null if the reply or report names none that is known. */
export function nameRefusal(text: string | null): RefusalName | null {
  const cause = text === null ? null : findRefusalCause(text)
  return cause && { cause: cause.id, provider: cause.provider, requirement: cause.requirement }
}
