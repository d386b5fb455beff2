/**
 * Reads the fields of a page's form, or of a mail program's one-click POST: texts by name (RFC 8058 3.1 allows both
 * encodings).
 */
import type { IncomingMessage } from 'node:http'

const bytesMax = 64 * 1024

/** The first text of each name. Null: longer than any form of ours, or no form at all. Past `stopsAt` bytes nothing is read. */
export async function readPosted(request: IncomingMessage, stopsAt = Infinity): Promise<ReadonlyMap<string, string> | null> {
  const body = await readBytes(request, stopsAt)
  if (!body) return null
  try {
    const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
    // The deprecation warns that it holds the whole body, and so do we.
    // oxlint-disable-next-line typescript/no-deprecated
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    const texts = [...form].flatMap(([name, value]): [string, string][] => (typeof value === 'string' ? [[name, value]] : []))
    return new Map(texts.toReversed())
  } catch {
    return null
  }
}

/** Reads a body even when it is too long, because the sender reads the answer only after it has sent its body. */
async function readBytes(request: IncomingMessage, stopsAt: number): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > stopsAt) return null
    if (length <= bytesMax) chunks.push(chunk)
  }
  return length > bytesMax ? null : Buffer.concat(chunks)
}
