/**
 * Answers a batch of protocol revision 2025-03-26: every entry counts towards the rate, and has its
 * own response where it needs one.
 */
import { ApiError, errorKinds } from '../../contract/errors.ts'
import { refuseOverRate, type Answer, type KnownCaller } from '../../core/dispatch/call.ts'
import type { EntryPointAnswer, Incoming } from '../../core/dispatch/entry-points.ts'
import { recordCall } from '../../core/dispatch/record-call.ts'
import { answerMessage, type McpParts, type CallOutcome } from './answer-message.ts'
import { idOf } from './read-message.ts'
import { takesBatches } from './read-revision.ts'
import { RpcError, errorResponse, type RpcResponse } from './rpc-error.ts'

/** Limit of the messages in a batch; a client with more sends several batches. */
const batchMax = 20

interface Admitted {
  caller: KnownCaller
  answer: EntryPointAnswer
}

/** Answers one message after the other; the rate headers are those after the last. */
export async function answerBatch(
  parts: McpParts,
  incoming: Incoming,
  values: unknown[],
  first: Admitted,
): Promise<EntryPointAnswer> {
  if (!takesBatches(incoming.headers))
    throw invalidBatch('This revision has no batches: send each message by itself.')
  if (values.length === 0 || values.length > batchMax)
    throw invalidBatch(`A batch holds 1 to ${batchMax} messages.`)
  const answer = { ...first.answer }
  const responses: RpcResponse[] = []
  for (const [index, value] of values.entries()) {
    const outcome = await answerEntry(parts, incoming, {
      caller: index === 0 ? first.caller : null,
      value,
    })
    if (outcome.response) responses.push(outcome.response)
    Object.assign(answer, outcome.performed)
  }
  const spoken = responses.length > 0
  return { ...answer, status: spoken ? 200 : 202, body: spoken ? responses : undefined }
}

/** Results of earlier entries must be answered: a refusal of this one is its own response. */
async function answerEntry(
  parts: McpParts,
  incoming: Incoming,
  { caller, value }: { caller: KnownCaller | null; value: unknown },
): Promise<CallOutcome> {
  const startedAtMs = parts.service.clock.monotonicMs()
  let answer: Answer | null = null
  try {
    const identified = caller ? { caller, answer } : await parts.entryPoints.identify(incoming)
    answer = identified.answer
    if (!identified.caller) throw new ApiError('invalid_api_key')
    refuseOverRate(identified.caller)
    return await answerMessage(parts, incoming, { caller: identified.caller, value })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code } = error
    const call = { ...incoming, operation: null, mcp: true }
    if (answer)
      recordCall(parts.service, {
        call,
        answer: { ...answer, code, status: errorKinds[code].status },
        startedAtMs,
      })
    const refusal = new RpcError('invalidRequest', error.message, {
      data: { code: error.code, details: error.details },
    })
    return { response: errorResponse(idOf(value), refusal), status: 200, performed: null }
  }
}

const invalidBatch = (message: string): RpcError =>
  new RpcError('invalidRequest', message, { status: 400 })
