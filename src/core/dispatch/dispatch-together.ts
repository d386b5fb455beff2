/** Performs several operations of one caller in one transaction: all of them, or none. */
import { inDatabaseOf, oneDatabase } from '../databases.ts'
import type { Service } from '../context.ts'
import type { Intake } from '../intake.ts'
import type { KnownCaller } from './call.ts'
import type { CountRequest } from './count-request.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'

/**
 * Runs `work` with a dispatcher whose operations share a transaction; what `work` throws rolls it
 * back. Workers are woken after the commit.
 */
export type DispatchTogether = <T>(
  caller: KnownCaller,
  work: (dispatch: Dispatch) => Promise<T>,
) => Promise<T>

export function createDispatchTogether(
  ctx: Service,
  countRequest: CountRequest,
  intake?: Intake,
): DispatchTogether {
  return (caller, work) =>
    inDatabaseOf(ctx, caller.workspaceId, async (at) => {
      const woken: Parameters<Service['wake']>[] = []
      const result = await at.db.transaction((tx) => {
        const inside: Service = {
          ...at,
          db: { ...at.db, ...tx, transaction: (inner) => inner(tx) },
          databases: oneDatabase(() => inside),
          wake: (...lanes) => void woken.push(lanes),
        }
        return work(createDispatch(inside, countRequest, intake))
      })
      for (const lanes of woken) at.wake(...lanes)
      return result
    })
}
