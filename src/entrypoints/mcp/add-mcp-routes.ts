/**
 * `POST /api/mcp`: the Model Context Protocol (Streamable HTTP, without streams and sessions) in
 * front of the dispatcher.
 *
 * 1. Requests for a host name or from a page that is not ours are refused: 403.
 * 2. Every method but POST is refused: 405.
 * 3. The key, the rate, the body and its messages: see answer-post.ts.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Service } from '../../core/context.ts'
import type { EntryPointAnswer, EntryPoints, Incoming } from '../../core/dispatch/entry-points.ts'
import { createFixedAnswers } from './answer-fixed.ts'
import { answerPost } from './answer-post.ts'
import { isFromHere } from '../../core/dispatch/check-origin.ts'
import { RpcError, errorResponse } from './rpc-error.ts'

export function addMcpRoutes(entryPoints: EntryPoints, service: Service): void {
  const { baseUrl } = service.settings
  const parts = { entryPoints, service, answerFixed: createFixedAnswers(baseUrl) }
  entryPoints.add('/api/mcp', (incoming) => {
    if (!isFromHere(incoming.headers, baseUrl)) return refuseStranger(entryPoints, incoming)
    if (incoming.method !== 'POST') return refuseMethod(entryPoints, incoming)
    return answerPost(parts, withoutNamedKey(incoming))
  })
}

async function refuseStranger(
  { answerPage }: EntryPoints,
  incoming: Incoming,
): Promise<EntryPointAnswer> {
  const answer = await answerPage(incoming, () =>
    errorResponse(null, new RpcError('invalidRequest', 'Host or Origin is not of this service.')),
  )
  return { ...answer, status: answer.code === null ? 403 : answer.status, operation: null }
}

/** Spec: MCP endpoint; semantics 4. */
async function refuseMethod(
  { answerPage }: EntryPoints,
  incoming: Incoming,
): Promise<EntryPointAnswer> {
  const answer = await answerPage(incoming, () => {
    throw new ApiError('method_not_allowed', {
      reason: 'method',
      method: incoming.method,
      allowed: ['POST'],
    })
  })
  return { ...answer, operation: null }
}

/** This entry point accepts the key in `Authorization` only (spec: Authentication 2). */
function withoutNamedKey(incoming: Incoming): Incoming {
  const { 'x-api-key': _, ...headers } = incoming.headers
  return { ...incoming, headers }
}
