/** Calls that are no operation's: the reference, and what is not HTTP at all. They too are counted, by the address they came from. */
import type { Context } from '../context.ts'
import type { CountRequest } from './count-request.ts'
import { newAnswer } from './call.ts'
import type { Answer, Call } from './call.ts'
import { refuse } from './dispatch.ts'
import { countByAddress } from './identify.ts'

/** `serve` answers the body, or throws the refusal. */
export type AnswerPageRequest = (visit: Pick<Call, 'address' | 'requestId' | 'headers'>, serve: () => unknown) => Promise<Answer>

export function createPageRequests(ctx: Context, countRequest: CountRequest): AnswerPageRequest {
  return async (visit, serve) => {
    const answer = { ...newAnswer(), status: 200 }
    try {
      await countByAddress(countRequest, visit, answer)
      answer.body = serve()
    } catch (error) {
      refuse(ctx, { ...visit, operation: null }, error, answer)
    }
    return answer
  }
}
