/**
 * Speaks to `/api/mcp` as a bare client does, message by message, and holds every answer to what is
 * promised of all.
 */
import assert from 'node:assert/strict'
import { addMcpRoutes } from '../../src/entrypoints/mcp/add-mcp-routes.ts'
import { startApi, type Api, type ApiOptions } from './api.ts'
import { at } from './json.ts'

/** The service with the MCP entry point beside the API. */
export const startMcpApi = (options: Omit<ApiOptions, 'door'> = {}): Promise<Api> =>
  startApi({
    ...options,
    entry: (service) => ({
      addRoutes: (_server, _answerRequest, entryPoints) => addMcpRoutes(entryPoints, service),
    }),
  })

export interface McpAnswer {
  status: number
  headers: Headers
  /** Undefined where the answer has no body. */
  body: unknown
}

/** Posts a body as it is. */
export async function post(
  baseUrl: string,
  body: string | Uint8Array<ArrayBuffer>,
  { key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<McpAnswer> {
  const response = await fetch(`${baseUrl}/api/mcp`, {
    method: 'POST',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })
  const text = await response.text()
  for (const name of [
    'x-request-id',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ]) {
    assert.ok(response.headers.get(name), `${name} on ${response.status}`)
  }
  assert.equal(response.headers.get('mcp-session-id'), null)
  if (text === '') return { status: response.status, headers: response.headers, body: undefined }
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.doesNotMatch(text, /node_modules|\.ts:\d|\n\s+at /, 'a stack trace')
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

/** One client of a workspace's key, of either era. */
export interface McpClient {
  era: 'handshake' | 'stateless'
  /** One request; the answer as HTTP brought it. */
  request(method: string, params?: object, headers?: Record<string, string>): Promise<McpAnswer>
  /** One tool call: its result. */
  call(name: string, args?: unknown, headers?: Record<string, string>): Promise<ToolResult>
}

export interface ToolResult {
  isError: boolean
  /** The structured content. */
  body: unknown
  headers: Headers
}

export const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
}

export function clientOf(
  baseUrl: string,
  key: string,
  era: McpClient['era'] = 'handshake',
): McpClient {
  const request: McpClient['request'] = (method, params = {}, headers = {}) =>
    era === 'handshake'
      ? post(baseUrl, message(method, params), {
          key,
          headers: { 'mcp-protocol-version': '2025-11-25', ...headers },
        })
      : post(baseUrl, message(method, { ...params, _meta: statelessMeta }), {
          key,
          headers: {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            ...nameHeader(params),
            ...headers,
          },
        })
  return {
    era,
    request,
    async call(name, args, headers) {
      const { body, headers: answered } = await request(
        'tools/call',
        { name, ...(args !== undefined && { arguments: args }) },
        headers,
      )
      const content = at(body, 'result', 'structuredContent')
      assert.ok(content !== undefined, JSON.stringify(body))
      // The same for clients that read texts alone.
      assert.deepEqual(JSON.parse(String(at(body, 'result', 'content', '0', 'text'))), content)
      return { isError: at(body, 'result', 'isError') === true, body: content, headers: answered }
    },
  }
}

export const message = (method: string, params?: object, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) })

function nameHeader(params: object): Record<string, string> {
  const name = at(params, 'name') ?? at(params, 'uri')
  return typeof name === 'string' ? { 'mcp-name': name } : {}
}

/** The error of a JSON-RPC answer: its code. */
export const codeOf = ({ body }: McpAnswer): unknown => at(body, 'error', 'code')
