/**
 * Answers requests that are not operations, such as the reference or malformed HTTP. They count
 * against the rate of their address.
 */
import type { Context } from '../context.ts'
import type { CountRequest } from './count-request.ts'
import type { Answer, Call } from './call.ts'
import { countByAddress, newAnswer } from './identify.ts'
import { refuse } from './refuse.ts'

/** `serve` returns the body, or throws the refusal. */
export type AnswerPageRequest = (
  pageRequest: Pick<Call, 'address' | 'requestId' | 'headers'>,
  serve: () => unknown,
) => Promise<Answer>

export function createPageRequests(ctx: Context, countRequest: CountRequest): AnswerPageRequest {
  return async (pageRequest, serve) => {
    const answer = { ...newAnswer(), status: 200 }
    try {
      await countByAddress(countRequest, pageRequest, answer)
      answer.body = serve()
    } catch (error) {
      refuse(ctx, { ...pageRequest, operation: null }, error, answer)
    }
    return answer
  }
}
