/**
 * Answers one POST: the key, the rate, then the messages in the body.
 *
 * A request counts once, whatever it asks; a tool call counts as nothing more (semantics 4: Rates). Further requests of a batch
 * count each. Without a good key, or beyond the rate, the answer is the one of any call (401, 429); only a tool call is refused
 * by its result, as the operation would refuse it. What the protocol refuses is a JSON-RPC error.
 */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operations.ts'
import { operationsByTool } from '../../contract/tools.ts'
import type { Service } from '../../core/context.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import { rateExceeded } from '../../core/dispatch/call.ts'
import type { KnownCaller } from '../../core/dispatch/call.ts'
import { refuse } from '../../core/dispatch/dispatch.ts'
import type { DoorAnswer, Doors, Incoming } from '../../core/dispatch/doors.ts'
import { complete } from './answer-fixed.ts'
import type { AnswerFixed } from './answer-fixed.ts'
import { callTool } from './call-tool.ts'
import { idOf, readMessage } from './read-message.ts'
import type { RpcRequest } from './read-message.ts'
import { holdRevision, readEra, takesBatches } from './read-revision.ts'
import { RpcError, errorResponse, resultResponse } from './rpc-error.ts'
import type { RpcResponse } from './rpc-error.ts'

export interface Parts {
  doors: Doors
  service: Service
  answerFixed: AnswerFixed
}

export async function answerPost(parts: Parts, incoming: Incoming): Promise<DoorAnswer> {
  const { caller, answer } = await parts.doors.identify(incoming)
  const admitted = { ...answer, operation: null }
  if (!caller) return { ...admitted, headers: { ...answer.headers, ...challenge(answer.status) } }
  try {
    const value = await readMessages(incoming, caller)
    if (Array.isArray(value)) return await answerBatch(parts, incoming, value, { caller, answer: admitted })
    const { response, status, performed } = await answerMessage(parts, incoming, { caller, value })
    return { ...admitted, ...performed, status, body: response ?? undefined }
  } catch (error) {
    if (error instanceof CallerLeft) throw error
    if (error instanceof RpcError) return { ...admitted, status: error.status, body: errorResponse(null, error) }
    refuse(parts.service, { ...incoming, operation: null }, error, admitted)
    return admitted
  }
}

/** RFC 9110 11.6.1. */
const challenge = (status: number): Record<string, string> => (status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {})

/** Throws RpcError for what is no JSON, or longer than any operation that this key may call would read. */
async function readMessages(incoming: Incoming, { counted: { caller, rate } }: KnownCaller): Promise<unknown> {
  try {
    return await incoming.readBody(rate.passes ? longestBody(caller.scopes) : limits.otherBodyBytes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error
    if (!rate.passes) throw rateExceeded(rate)
    const kind = error.details['rule'] === 'json' || error.details['rule'] === 'utf-8' ? 'parseError' : 'invalidRequest'
    throw new RpcError(kind, 'The body cannot be read.', { status: 400, data: error.details })
  }
}

function longestBody(scopes: string[]): number {
  const tools = [...operationsByTool.values()].map((id): Operation => operations[id])
  return Math.max(...tools.filter(({ scope }) => scope === null || scopes.includes(scope)).map((tool) => tool.bodyBytesMax))
}

/** What became of one message. */
interface Outcome {
  /** Null: nothing is to be said. */
  response: RpcResponse | null
  status: number
  /** Of the operation that was performed. */
  performed: DoorAnswer | null
}

/** Throws `rate_limit_exceeded` for what is no tool call and comes beyond the rate. */
async function answerMessage(
  { doors, answerFixed }: Parts,
  incoming: Incoming,
  { caller, value }: { caller: KnownCaller; value: unknown },
): Promise<Outcome> {
  try {
    const message = readMessage(value)
    if (message.kind !== 'request') {
      holdRevision(incoming.headers)
      return { response: null, status: 202, performed: null }
    }
    const era = readEra(incoming.headers, message)
    const { result, answer } = await (message.method === 'tools/call'
      ? callTool(doors, incoming, caller, message.params)
      : { result: answerFixed(passing(message, caller), era), answer: null })
    const shown = era === 'stateless' ? complete(result) : result
    return { response: resultResponse(message.id, shown), status: 200, performed: answer }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { response: errorResponse(idOf(value), error), status: error.status, performed: null }
  }
}

function passing(request: RpcRequest, { counted: { rate } }: KnownCaller): RpcRequest {
  if (!rate.passes) throw rateExceeded(rate)
  return request
}

/** So many messages a batch may hold: a client that has more asks more often. */
const batchMax = 20

interface Admitted {
  caller: KnownCaller
  answer: DoorAnswer
}

/** One after the other; what is said of the rate is as it was after the last. */
async function answerBatch(parts: Parts, incoming: Incoming, values: unknown[], first: Admitted): Promise<DoorAnswer> {
  if (!takesBatches(incoming.headers)) throw invalidBatch('This revision has no batches: send each message by itself.')
  if (values.length === 0 || values.length > batchMax) throw invalidBatch(`A batch holds 1 to ${batchMax} messages.`)
  const answer = { ...first.answer }
  const responses: RpcResponse[] = []
  for (const [place, value] of values.entries()) {
    const outcome = await answerEntry(parts, incoming, { caller: place === 0 ? first.caller : null, value })
    if (outcome.response) responses.push(outcome.response)
    Object.assign(answer, outcome.performed)
  }
  const spoken = responses.length > 0
  return { ...answer, status: spoken ? 200 : 202, body: spoken ? responses : undefined }
}

/** What was done for the entries before must be told: a refusal of this one is its own response. */
async function answerEntry(
  parts: Parts,
  incoming: Incoming,
  { caller, value }: { caller: KnownCaller | null; value: unknown },
): Promise<Outcome> {
  try {
    const counted = caller ?? (await parts.doors.identify(incoming)).caller
    if (!counted) throw new ApiError('invalid_api_key')
    return await answerMessage(parts, incoming, { caller: counted, value })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const refusal = new RpcError('invalidRequest', error.message, { data: { code: error.code, details: error.details } })
    return { response: errorResponse(idOf(value), refusal), status: 200, performed: null }
  }
}

const invalidBatch = (message: string): RpcError => new RpcError('invalidRequest', message, { status: 400 })
