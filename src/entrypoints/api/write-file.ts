/** Writes a file as the response, no faster than the client reads it. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OutgoingFile } from '../../contract/operation.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'

/**
 * Throws CallerLeft when the reader leaves. An error of the file itself cuts the answer off, so
 * that no client takes it for complete.
 */
export async function writeFile(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  { type, name, bytes }: OutgoingFile,
): Promise<void> {
  response.writeHead(status, {
    ...headers,
    'Content-Type': type,
    'Content-Disposition': name === null ? 'inline' : disposition(name),
    ...(Buffer.isBuffer(bytes) && { 'Content-Length': bytes.length }),
  })
  if (Buffer.isBuffer(bytes)) {
    response.end(bytes)
    return
  }
  try {
    await pipeline(Readable.from(bytes), response)
  } catch (error) {
    const left =
      error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    throw left ? new CallerLeft() : error
  }
}

/** RFC 6266 4.3: the full name for current browsers, and one of plain letters for all others. */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
