/**
 * `tools/call`: the dispatcher performs the operation of that name with the caller's key; its
 * answer is the tool's result.
 */
import { operationsByTool, sortArguments, unknownArguments } from '../../contract/tools.ts'
import { ApiError } from '../../contract/errors.ts'
import { operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Call, KnownCaller } from '../../core/dispatch/call.ts'
import type { EntryPointAnswer, EntryPoints, Incoming } from '../../core/dispatch/entry-points.ts'
import { cleanResult } from './clean-result.ts'
import { isObject } from './read-message.ts'
import { RpcError } from './rpc-error.ts'

/**
 * Throws RpcError for an unknown tool or bad arguments. A refusal by the operation is a result with
 * `isError`. The headers and the code of `answer` are those of any call.
 */
export async function callTool(
  { dispatch }: Pick<EntryPoints, 'dispatch'>,
  incoming: Incoming,
  caller: KnownCaller,
  params: Record<string, unknown>,
): Promise<{ result: object; answer: EntryPointAnswer }> {
  const { name } = params
  const args = params['arguments'] ?? {}
  const operation = typeof name === 'string' ? operationsByTool.get(name) : undefined
  if (operation === undefined)
    throw new RpcError('invalidParams', 'There is no such tool: tools/list names all.')
  if (!isObject(args)) throw new RpcError('invalidParams', 'The arguments are no object.')
  const { others, ...input } = sortArguments(operation, args)
  const { body }: Operation = operations[operation]
  const call: Call = {
    mcp: true,
    ...{
      operation,
      headers: incoming.headers,
      address: incoming.address,
      requestId: incoming.requestId,
    },
    input: {
      ...input,
      strangers: body ? [] : Object.keys(others).filter((other) => others[other] !== null),
    },
    readBody: (bytesMax) => bodyOf(others, incoming.bytesRead(), bytesMax),
    reserveMemory: incoming.reserveMemory,
  }
  const answer = await dispatch(call, caller)
  const { content, text } = cleanResult(answer.body)
  // Operations without a body refuse them, and a refused call used no argument at all.
  const ignored = body && answer.code === null ? unknownArguments(operation, args) : []
  return {
    result: {
      content: [{ type: 'text', text }, ...ignoredOf(ignored)],
      structuredContent: content,
      ...(answer.code !== null && { isError: true }),
    },
    answer: { ...answer, operation },
  }
}

/**
 * The given arguments without effect: the result names them, so that the agent knows that they did
 * nothing.
 */
function ignoredOf(names: string[]): object[] {
  if (names.length === 0) return []
  const shown = names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 60).toWellFormed()))
  return [
    { type: 'text', text: `Ignored, because this tool has no such argument: ${shown.join(', ')}.` },
  ]
}

/**
 * The operation's limit applies to the whole request: the envelope around the arguments is small.
 */
function bodyOf(body: object, byteCount: number, bytesMax: number): Promise<object> {
  if (byteCount <= bytesMax) return Promise.resolve(body)
  return Promise.reject(
    new ApiError('validation_error', { path: '', rule: 'body_bytes', limit: bytesMax }),
  )
}
