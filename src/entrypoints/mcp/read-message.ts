/** Reads one JSON-RPC message of a client, and refuses an invalid one before any work. */
import { RpcError, type RequestId } from './rpc-error.ts'

export interface RpcRequest {
  kind: 'request'
  id: RequestId
  method: string
  params: Record<string, unknown>
}

/** A notification, or a response to a request that we never send: accepted and ignored. */
export type RpcMessage = RpcRequest | { kind: 'notification' } | { kind: 'response' }

/** Limit of the id's length: the response repeats it, and no client needs a long one. */
const idLengthMax = 1_000

/** Throws RpcError with status 400; `idOf` then finds the id for the response. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    throw invalid('A message is an object with "jsonrpc": "2.0".')
  const { method, params = {} } = value
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') throw invalid('The method is missing, or no text.')
  if (!isObject(params)) throw invalid('The params are no object.')
  if (!('id' in value)) {
    // Without an id there is no response: only notifications may lack one.
    if (!method.startsWith('notifications/')) throw invalid('A request needs an id.')
    return { kind: 'notification' }
  }
  const id = idOf(value)
  if (id === null) throw invalid('An id is a text of at most 1,000 characters or a whole number.')
  return { kind: 'request', id, method, params }
}

/**
 * The id of any input; null when it has none that a response can repeat unchanged (MCP: never null,
 * never a fraction).
 */
export function idOf(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined
  if (typeof id === 'string') return id.length <= idLengthMax ? id : null
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

const invalid = (message: string): RpcError =>
  new RpcError('invalidRequest', message, { status: 400 })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
