/** Answers one message: a request by its method, any other message with nothing. */
import type { Service } from '../../core/context.ts'
import type { KnownCaller } from '../../core/dispatch/call.ts'
import type { EntryPointAnswer, EntryPoints, Incoming } from '../../core/dispatch/entry-points.ts'
import { recordCall } from '../../core/dispatch/record-call.ts'
import { complete, type AnswerFixed } from './answer-fixed.ts'
import { callTool } from './call-tool.ts'
import { idOf, readMessage } from './read-message.ts'
import { checkRevision, readEra } from './read-revision.ts'
import { RpcError, errorResponse, resultResponse, type RpcResponse } from './rpc-error.ts'

/** The dependencies of answers. */
export interface McpParts {
  service: Service
  entryPoints: EntryPoints
  answerFixed: AnswerFixed
}

/** A raw message, and the caller whose rate it counts for. */
export interface RpcAnswer {
  caller: KnownCaller
  value: unknown
}

/** The result of one message. */
export interface CallOutcome {
  /** Null if the message gets no response. */
  response: RpcResponse | null
  status: number
  /** The status of the performed operation. */
  performed: EntryPointAnswer | null
}

/** A tool's call logs itself; any other message is logged here. */
export async function answerMessage(
  parts: McpParts,
  incoming: Incoming,
  request: RpcAnswer,
): Promise<CallOutcome> {
  const startedAtMs = parts.service.clock.monotonicMs()
  const outcome = await answerOne(parts, incoming, request)
  if (outcome.performed === null) {
    const { workspaceId, counted } = request.caller
    const answer = {
      status: loggedStatus(outcome),
      code: null,
      body: null,
      workspaceId,
      keyId: counted.caller.keyId,
    }
    recordCall(parts.service, {
      call: { ...incoming, operation: null, mcp: true },
      answer,
      startedAtMs,
    })
  }
  return outcome
}

/**
 * A refusal of the protocol may be answered with 200 (JSON-RPC 2.0, 5.1), and is no success for
 * that.
 */
const loggedStatus = ({ response, status }: CallOutcome): number =>
  response?.error !== undefined && status < 400 ? 400 : status

async function answerOne(
  { entryPoints, answerFixed }: McpParts,
  incoming: Incoming,
  { caller, value }: RpcAnswer,
): Promise<CallOutcome> {
  try {
    const message = readMessage(value)
    if (message.kind !== 'request') {
      checkRevision(incoming.headers)
      return { response: null, status: 202, performed: null }
    }
    const era = readEra(incoming.headers, message)
    const { result, answer } = await (message.method === 'tools/call'
      ? callTool(entryPoints, incoming, caller, message.params)
      : { result: answerFixed(message, era), answer: null })
    const shown = era === 'stateless' ? complete(result) : result
    return { response: resultResponse(message.id, shown), status: 200, performed: answer }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { response: errorResponse(idOf(value), error), status: error.status, performed: null }
  }
}
