/**
 * Answers requests that the framework has no route for: methods that it does not know, addresses
 * that no operation has, and requests without one Host.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeUnknown } from '../../contract/describe-unknown.ts'
import { ApiError } from '../../contract/errors.ts'
import type { AnswerPageRequest } from '../../core/dispatch/answer-page-request.ts'
import type { Dispatch } from '../../core/dispatch/dispatch.ts'
import type { RenderMissing } from '../../core/dispatch/entry-points.ts'
import type { AnswerIncoming } from './answer-request.ts'
import { hasOneHost, type RequestReceiver } from './receive-requests.ts'

interface UnroutedParts {
  answerBy: RequestReceiver['answerBy']
  answerPage: AnswerPageRequest
  dispatch: Dispatch
  showMissing: RenderMissing | undefined
}

export type Unrouted = ReturnType<typeof createUnrouted>

export function createUnrouted({ answerBy, answerPage, dispatch, showMissing }: UnroutedParts) {
  // The framework routes the commonest methods only: its not-found handler passes the others to
  // these entry points.
  const otherEntryPoints = new Map<string, AnswerIncoming>()

  // RFC 9112 3.2: 400, a status that no code of the table has.
  const refuseHost: AnswerIncoming = async (incoming) => {
    const refused = await answerPage(incoming, () => {
      throw new ApiError('validation_error', { path: 'Host', rule: 'host' })
    })
    if (refused.code !== 'validation_error') return { ...refused, operation: null }
    return {
      ...refused,
      status: 400,
      body: { ...Object(refused.body), statusCode: 400 },
      operation: null,
    }
  }
  const refuseUnknown =
    ({ method, url }: FastifyRequest): AnswerIncoming =>
    async (incoming) => {
      const { params, query, headers } = incoming
      const input = { params, query, headers }
      const unknown = (): ReturnType<typeof describeUnknown> => describeUnknown(method, url)
      const refused = await dispatch({ ...incoming, operation: null, unknown, input })
      const answered = { ...refused, operation: null }
      return showMissing ? showMissing(answered, { method, url, headers }) : answered
    }
  return {
    add: (path: string, work: AnswerIncoming): void => void otherEntryPoints.set(path, work),
    answer(request: FastifyRequest, reply: FastifyReply): void {
      reply.hijack()
      const known = otherEntryPoints.get(plainPath(request.url))
      // Without one Host alone it is refused, whatever its path.
      const work = hasOneHost(request.raw) ? (known ?? refuseUnknown(request)) : refuseHost
      answerBy(request, reply, work)
    },
    refuse(request: FastifyRequest, reply: FastifyReply): void {
      reply.hijack()
      answerBy(request, reply, refuseUnknown(request))
    },
  }
}

/**
 * A path as the router compares it: repeated slashes are one, and a slash at the end is dropped
 * (semantics 4).
 */
const plainPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
