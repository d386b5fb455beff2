/** Calls that are no operation's: the reference, and what is not HTTP at all. They too are counted, by the address they came from. */
import type { Context } from '../context.ts'
import type { CountRequest } from './count-request.ts'
import { countByAddress, refuse } from './dispatch.ts'
import type { Answer, Call } from './dispatch.ts'

/** `serve` answers the body, or throws the refusal. */
export type AnswerVisit = (visit: Pick<Call, 'address' | 'requestId' | 'headers'>, serve: () => unknown) => Promise<Answer>

export function createVisits(ctx: Context, countRequest: CountRequest): AnswerVisit {
  return async (visit, serve) => {
    const answer: Answer = { status: 200, headers: {}, body: null, code: null, workspaceId: null }
    try {
      await countByAddress(countRequest, visit, answer)
      answer.body = serve()
    } catch (error) {
      refuse(ctx, { ...visit, operation: null }, error, answer)
    }
    return answer
  }
}
