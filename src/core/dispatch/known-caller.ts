/**
 * Identifies a caller before the operation is known, as an entry point needs it whose body names
 * the operation, and authorizes them once it is.
 */
import { operations } from '../../contract/operations.ts'
import { giveBackRequests } from '../../db/workspaces/request-rates.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service } from '../context.ts'
import type { Answer, Call, KnownCaller } from './call.ts'
import type { CountRequest, CountedRequest } from './count-request.ts'
import { addRateHeaders, authorizeCaller, identify, newAnswer } from './identify.ts'
import { refuse } from './refuse.ts'

/**
 * Identifies the caller by the key and counts the request. When `caller` is null, the answer has
 * the refusal.
 */
export type Identify = (
  request: Pick<Call, 'headers' | 'address' | 'requestId'>,
) => Promise<{ caller: KnownCaller | null; answer: Answer }>

export function createIdentify(ctx: Service, countRequest: CountRequest): Identify {
  return async (request) => {
    const answer = newAnswer()
    try {
      return {
        caller: await identify(ctx, countRequest, { ...request, scope: null }, answer),
        answer,
      }
    } catch (error) {
      refuse(ctx, { ...request, operation: null }, error, answer)
      return { caller: null, answer }
    }
  }
}

/**
 * Authorizes a caller that was counted before the operation was known. A call without the
 * permission does not count, so its permit goes back.
 */
export async function authorizeKnownCaller(
  ctx: Service,
  call: Call,
  { workspaceId, counted }: KnownCaller,
  answer: Answer,
): Promise<CountedRequest> {
  const { caller, rate } = counted
  const scope = call.operation && operations[call.operation].scope
  const needed = scope === 'none' ? null : scope
  const goesBack = needed !== null && !caller.scopes.includes(needed) && rate.passes
  Object.assign(answer, { workspaceId, keyId: caller.keyId })
  addRateHeaders(answer, goesBack ? { ...rate, remaining: rate.remaining + 1 } : rate)
  if (goesBack && caller.bucket !== null) {
    const { countingDb } = await ofWorkspace(ctx, workspaceId)
    await giveBackRequests(countingDb, workspaceId, caller.bucket, caller.now, 1)
  }
  authorizeCaller(counted, needed)
  return counted
}
