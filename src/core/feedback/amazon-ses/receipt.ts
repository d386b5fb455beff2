/** What becomes of a notice. */
import type { NoticeVerdict } from '../../../db/feedback/ses-notices.ts'
import type { Context } from '../../context.ts'

export type ReceivedNotice =
  /** Acted on, now or before, or genuine and nothing to act on. */
  | { kind: 'taken' }
  /** Never acted on, and not if it came again. */
  | { kind: 'refused'; why: string }
  /** It should come again. */
  | { kind: 'later'; why: string }

/** Who posts to us has to post it within this time (security: SES notices); a queue keeps notices for days. */
export const ageMaxSeconds = 2 * 3600

/** Ends the transaction of a notice that must change nothing. */
export class NotAdmitted extends Error {
  readonly verdict: Exclude<NoticeVerdict, 'fresh'>

  constructor(verdict: Exclude<NoticeVerdict, 'fresh'>) {
    super(`A notice is ${verdict}`)
    this.verdict = verdict
  }
}

/** SNS repeats what it is not sure of: a repeat is told as taken, and logged. */
export function verdictOf({ log }: Pick<Context, 'log'>, id: string, verdict: NotAdmitted['verdict']): ReceivedNotice {
  switch (verdict) {
    case 'repeated':
      log.info({ notice: id, why: 'it was acted on before' }, 'A notice came again')
      return { kind: 'taken' }
    case 'too_old':
      return { kind: 'refused', why: 'it is too old' }
    case 'too_early':
      return { kind: 'refused', why: 'it is dated ahead of now' }
    default:
      return verdict satisfies never
  }
}
