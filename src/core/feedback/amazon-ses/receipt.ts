/** Defines the result of receiving a notice. */
import type { NoticeVerdict } from '../../../db/feedback/ses-notices.ts'
import type { Context } from '../../context.ts'

export type ReceivedNotice =
  /** It was applied, now or before, or is genuine and needs no action. */
  | { kind: 'taken' }
  /** It is refused, and would be refused again. */
  | { kind: 'refused'; why: string }
  /** It should be sent again. */
  | { kind: 'later'; why: string }

/**
 * A posted notice must arrive within this time (security: SES notices); a queue stores notices for
 * days.
 */
export const ageMaxSeconds = 2 * 3600

/** Rolls back the transaction of a notice that must change nothing. */
export class NotAdmitted extends Error {
  readonly verdict: Exclude<NoticeVerdict, 'fresh'>

  constructor(verdict: Exclude<NoticeVerdict, 'fresh'>) {
    super(`A notice is ${verdict}`)
    this.verdict = verdict
  }
}

/** SNS repeats notices when it is unsure: a repeat counts as taken, and is logged. */
export function verdictOf(
  { log }: Pick<Context, 'log'>,
  { id, verdict }: { id: string; verdict: NotAdmitted['verdict'] },
): ReceivedNotice {
  switch (verdict) {
    case 'repeated':
      log.info(
        { notice: id, why: 'it was acted on before' },
        'A notice arrived again; it changes nothing',
      )
      return { kind: 'taken' }
    case 'too_old':
      return { kind: 'refused', why: 'it is too old' }
    case 'too_early':
      return { kind: 'refused', why: 'it is dated ahead of now' }
    default:
      return verdict satisfies never
  }
}
