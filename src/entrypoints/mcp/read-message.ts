/** Reads one JSON-RPC message as a client sends it; an invalid one is recognised before any work is done for it. */
import { RpcError, type RequestId } from './rpc-error.ts'

export interface RpcRequest {
  kind: 'request'
  id: RequestId
  method: string
  params: Record<string, unknown>
}

/** A notification, or an answer to a question that we never ask: accepted, and nothing comes of it. */
export type RpcMessage = RpcRequest | { kind: 'notification' } | { kind: 'response' }

/** The id is sent back, and no client needs a long one. */
const idLengthMax = 1_000

/** Throws RpcError with status 400; `idOf` then says whom to answer. */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') throw invalid('A message is an object with "jsonrpc": "2.0".')
  const { method, params = {} } = value
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response' }
  if (typeof method !== 'string') throw invalid('The method is missing, or no text.')
  if (!isObject(params)) throw invalid('The params are no object.')
  if (!('id' in value)) {
    // Without an id there is no response: only notifications may come so.
    if (!method.startsWith('notifications/')) throw invalid('A request needs an id.')
    return { kind: 'notification' }
  }
  const id = idOf(value)
  if (id === null) throw invalid('An id is a text of at most 1,000 characters or a whole number.')
  return { kind: 'request', id, method, params }
}

/** The id of whatever came; null when it has none that could be sent back unchanged (MCP: never null, never a fraction). */
export function idOf(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined
  if (typeof id === 'string') return id.length <= idLengthMax ? id : null
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

const invalid = (message: string): RpcError => new RpcError('invalidRequest', message, { status: 400 })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
