/**
 * Answers one POST: the key, the rate, then the messages in the body.
 *
 * A request counts once, whatever it asks; a tool call counts as nothing more (semantics 4: Rates).
 * Further requests of a batch count each. Without a valid key, or beyond the rate, the answer is
 * that of any call (401, 429), before the body is read. Nothing in MCP 2026-07-28 forbids this:
 * Streamable HTTP specifies the answer to an accepted message only, and Tools (Error Handling)
 * covers failures of a tool that ran. A refusal by the protocol is a JSON-RPC error.
 */
import { ApiError } from '../../contract/errors.ts'
import { operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import { operationsByTool } from '../../contract/tools.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import { refuseOverRate, type KnownCaller } from '../../core/dispatch/call.ts'
import { refuse } from '../../core/dispatch/refuse.ts'
import type { EntryPointAnswer, Incoming } from '../../core/dispatch/entry-points.ts'
import { callerLeftStatus, recordCall } from '../../core/dispatch/record-call.ts'
import { answerBatch } from './answer-batch.ts'
import { answerMessage, type McpParts } from './answer-message.ts'
import { RpcError, errorResponse } from './rpc-error.ts'

export async function answerPost(parts: McpParts, incoming: Incoming): Promise<EntryPointAnswer> {
  const startedAtMs = parts.service.clock.monotonicMs()
  const { caller, answer } = await parts.entryPoints.identify(incoming)
  const admitted = { ...answer, operation: null }
  // Messages that were read log themselves.
  const unread = (refused: EntryPointAnswer): EntryPointAnswer => {
    recordCall(parts.service, {
      call: { ...incoming, operation: null, mcp: true },
      answer: refused,
      startedAtMs,
    })
    return refused
  }
  if (!caller) return unread(admitted)
  try {
    refuseOverRate(caller)
    const value = await readMessages(incoming, caller)
    if (Array.isArray(value))
      return await answerBatch(parts, incoming, value, { caller, answer: admitted })
    const { response, status, performed } = await answerMessage(parts, incoming, { caller, value })
    return { ...admitted, ...performed, status, body: response ?? undefined }
  } catch (error) {
    if (error instanceof CallerLeft) {
      unread({ ...admitted, status: callerLeftStatus })
      throw error
    }
    if (error instanceof RpcError)
      return unread({ ...admitted, status: error.status, body: errorResponse(null, error) })
    refuse(parts.service, { ...incoming, operation: null }, error, admitted)
    return unread(admitted)
  }
}

/**
 * Throws RpcError for invalid JSON, and beyond the largest body limit among the operations of this
 * key.
 */
async function readMessages(
  incoming: Incoming,
  { counted: { caller } }: KnownCaller,
): Promise<unknown> {
  try {
    return await incoming.readBody(longestBody(caller.scopes))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error
    const kind =
      error.details['rule'] === 'json' || error.details['rule'] === 'utf-8'
        ? 'parseError'
        : 'invalidRequest'
    throw new RpcError(kind, 'The body cannot be read.', { status: 400, data: error.details })
  }
}

function longestBody(scopes: string[]): number {
  const tools = [...operationsByTool.values()].map((id): Operation => operations[id])
  return Math.max(
    ...tools
      .filter(({ scope }) => scope === null || scopes.includes(scope))
      .map((tool) => tool.bodyBytesMax),
  )
}
