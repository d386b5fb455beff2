/**
 * Reads which revision of the protocol a request speaks. Until 2025-11-25 a client states it once,
 * in `initialize`, and then in a header. From 2026-07-28 on every request states it, in a header
 * and in `_meta`, and the two must agree (2026-07-28, Streamable HTTP: Request Metadata). One
 * address serves both, each request by itself: the server stores nothing of earlier requests.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type RpcRequest } from './read-message.ts'
import { RpcError } from './rpc-error.ts'

/** Newest first. */
const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
export const statelessRevision = '2026-07-28'
export const revisions: readonly string[] = [statelessRevision, ...handshakeRevisions]

/** The revision of a client that states none: the header came with 2025-06-18. */
const silentRevision = '2025-03-26'

export type Era = 'handshake' | 'stateless'

/**
 * Throws RpcError, with status 400, where header and body do not name one revision that is served.
 */
export function readEra(headers: IncomingHttpHeaders, request: RpcRequest): Era {
  const shown = headers['mcp-protocol-version']?.toString()
  const meta = request.params['_meta']
  const stated = isObject(meta) ? meta[`${own}protocolVersion`] : undefined
  if (shown !== statelessRevision && stated === undefined) {
    checkRevision(headers)
    return 'handshake'
  }
  if (
    !isObject(meta) ||
    typeof stated !== 'string' ||
    !isObject(meta[`${own}clientCapabilities`])
  ) {
    throw new RpcError(
      'invalidParams',
      `_meta needs ${own}protocolVersion and ${own}clientCapabilities.`,
      bad,
    )
  }
  if (shown !== stated) throw mismatch('MCP-Protocol-Version')
  if (!revisions.includes(stated)) throw unsupported(stated)
  if (stated !== statelessRevision) return 'handshake'
  checkHeaders(headers, request)
  return 'stateless'
}

/** The same for messages that are not requests, which have no `_meta`. */
export function checkRevision(headers: IncomingHttpHeaders): void {
  const shown = headers['mcp-protocol-version']?.toString()
  if (shown !== undefined && !revisions.includes(shown)) throw unsupported(shown)
}

/** Whether one body may hold several messages: only 2025-03-26 has batches. */
export const takesBatches = (headers: IncomingHttpHeaders): boolean =>
  (headers['mcp-protocol-version'] ?? silentRevision) === silentRevision

/**
 * The revision that `initialize` agrees on: the client's own where it is served, else the newest
 * that has a handshake.
 */
export const agreeOn = (requested: unknown): string =>
  handshakeRevisions.find((revision) => revision === requested) ?? handshakeRevisions[0]

const own = 'io.modelcontextprotocol/'

/** The header must match the body, because a proxy on the way may have acted on the header. */
function checkHeaders(headers: IncomingHttpHeaders, { method, params }: RpcRequest): void {
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method')
  const named =
    method === 'tools/call'
      ? params['name']
      : method === 'resources/read'
        ? params['uri']
        : undefined
  if (named === undefined) return
  const shown = headers['mcp-name']?.toString()
  if (shown === undefined || decode(shown) !== named) throw mismatch('Mcp-Name')
}

/** `=?base64?…?=` stands for a name that no header can carry (2026-07-28, Value Encoding). */
function decode(shown: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(shown) ?? []
  return encoded === undefined ? shown : Buffer.from(encoded, 'base64').toString()
}

const bad = { status: 400 }

const mismatch = (header: string): RpcError =>
  new RpcError(
    'headerMismatch',
    `The header ${header} is missing, or is not what the body says.`,
    bad,
  )

const unsupported = (requested: string): RpcError =>
  new RpcError('unsupportedVersion', 'This revision of the protocol is not served.', {
    ...bad,
    data: { supported: revisions, requested: requested.slice(0, 100) },
  })
