/**
 * Refusals of the protocol itself, as JSON-RPC errors; a refusal by an operation is a result
 * instead (MCP, Tools: Error Handling).
 */

/** JSON-RPC 2.0, 5.1, and what MCP defines beside it (2026-07-28, Error Codes). */
const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Until 2025-11-25; later revisions use invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

export class RpcError extends Error {
  readonly code: number
  readonly data: object | undefined
  /** The HTTP status of the answer, if this is its only message. */
  readonly status: number

  constructor(
    kind: keyof typeof codes,
    message: string,
    { data, status = 200 }: { data?: object; status?: number } = {},
  ) {
    super(message)
    this.name = 'RpcError'
    this.code = codes[kind]
    this.data = data
    this.status = status
  }
}

export type RequestId = string | number

export interface RpcResponse {
  jsonrpc: '2.0'
  /** Absent where the request's could not be read. */
  id?: RequestId
  result?: object
  error?: { code: number; message: string; data?: object }
}

export const resultResponse = (id: RequestId, result: object): RpcResponse => ({
  jsonrpc: '2.0',
  id,
  result,
})

export const errorResponse = (
  id: RequestId | null,
  { code, message, data }: RpcError,
): RpcResponse => ({
  jsonrpc: '2.0',
  ...(id !== null && { id }),
  error: { code, message, ...(data && { data }) },
})
