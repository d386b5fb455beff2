/** Has a change of a campaign noted in the audit log: with who asked for it, in the transaction of the change. */
import type { ActName } from '../../contract/acts.ts'
import type { CallContext } from '../context.ts'
import { recordAct } from '../people/record-act.ts'
import type { Along } from './along.ts'

/** The call's context, in which a change of a campaign is noted as this act. */
export function noting(ctx: CallContext, act: ActName, details: Record<string, string | number> = {}): CallContext & Along {
  return {
    ...ctx,
    along: (tx, { id, name }) => recordAct(tx, ctx, { act, subject: name, details: { campaign: id, ...details } }),
  }
}
