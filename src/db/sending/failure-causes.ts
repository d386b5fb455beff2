/**
 * Names why a recipient failed. Both ledgers store the cause beside `error`, the text that is shown
 * (docs/decisions/0041).
 */
import type { failureCauses } from '../../contract/workspace/messages.ts'
import { fragment } from '../../database/client/fragment.ts'

/**
 * - `refused`: by a server or a report, in its own words
 * - `spent`: refused for now until the end of the queue's life
 * - `parked`: our own code threw, or its worker was lost, three times
 * - `doubt_ended`: it was in doubt, and no feedback came in time
 * - `discarded`: it was pending in a restored backup, and the operator discarded it
 * - `erased`: the contact was erased, and the text with it
 */
export type FailureCause = (typeof failureCauses)[number]

/** How the texts begin that the ledgers write before others' words. */
export const spentText = fragment`gave up after the last temporary refusal: `
export const parkedText = fragment`parked: `
export const suppressedText = fragment`suppressed: `

/** The words behind the beginning: a server's reply, an exception, the reason of a suppression. */
export function detailOf({
  cause,
  error,
}: {
  cause: FailureCause | null
  error: string | null
}): string | null {
  const before =
    cause === 'spent'
      ? spentText
      : cause === 'parked'
        ? parkedText
        : cause === 'suppressed'
          ? suppressedText
          : null
  return before !== null && error !== null && error.length > before.text.length
    ? error.slice(before.text.length)
    : error
}
