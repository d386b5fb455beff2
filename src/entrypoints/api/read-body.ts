/** Reads a request's body as JSON, within its limit and the process's; what is wrong with it is told in the API's own shape. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Octets of bodies that the whole process holds at once; what comes beyond is asked to come again. */
const heldMax = 256 * 1024 * 1024
let held = 0

export async function readBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  judgeContentType(request.headers['content-type'])
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bytesMax) throw tooLarge(bytesMax)
  let counted = 0
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      counted += chunk.length
      held += chunk.length
      if (counted > bytesMax) throw tooLarge(bytesMax)
      if (held > heldMax) throw new ApiError('internal_error', { reason: 'busy' }, 5)
      chunks.push(chunk)
    }
    return parse(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
  } finally {
    held -= counted
  }
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('utf-8')
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw malformed('json')
  }
}

/** A body without a content type is read as JSON (semantics 4). */
function judgeContentType(type: string | undefined): void {
  if (type === undefined || type.trim() === '') return
  if (!/^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i.test(type)) {
    throw new ApiError('validation_error', { path: '', rule: 'content_type', expected: 'application/json', hint: 'Content-Type: application/json' })
  }
}

const tooLarge = (limit: number): ApiError => new ApiError('validation_error', { path: '', rule: 'body_bytes', limit })

const malformed = (rule: string): ApiError => new ApiError('validation_error', { path: '', rule })
