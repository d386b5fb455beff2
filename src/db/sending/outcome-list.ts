/**
 * Outcomes of attempts as a list for a statement of either ledger. The captured copies are packed
 * into one parameter.
 */
import { rowList, type Fragment } from '../connection/fragment.ts'
import { packBytes } from '../connection/packed.ts'
import type { AttemptOutcome } from './verdicts.ts'

/** The list `o`; `ids` name its row in the ledger. */
export function outcomeList<Outcome extends AttemptOutcome & { fence: number }>(
  outcomes: Outcome[],
  ids: { uuid: (keyof Outcome & string)[]; smallint?: (keyof Outcome & string)[] },
): { list: Fragment; copies: Buffer } {
  const raw = packBytes(outcomes.map(({ copy }) => copy?.raw ?? null))
  const lines = outcomes.map((outcome, index) => ({
    ...{
      ...outcome,
      copyId: outcome.copy?.id,
      returnPath: outcome.copy?.returnPath,
      copyPending: outcome.copy?.pending,
    },
    ...{ rawStart: raw.starts[index], rawLength: raw.lengths[index] },
  }))
  const list = rowList(lines, 'o', {
    ...{ ...ids, uuid: [...ids.uuid, 'copyId'] },
    int: ['fence', 'rawStart', 'rawLength'],
    text: ['event', 'error', 'response', 'bounce', 'returnPath', 'copyPending'],
    float8: ['waitSeconds'],
  })
  return { list, copies: raw.bytes }
}
