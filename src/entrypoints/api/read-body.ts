/** Reads a request's body as JSON, within its limit and the process's; what is wrong with it is told in the API's own shape. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Octets of bodies that the whole process holds at once; what comes beyond is asked to come again. */
const heldMax = 256 * 1024 * 1024
let held = 0

export async function readBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  judgeContentType(request.headers['content-type'])
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  return parse(await collect(request, bytesMax))
}

/** By events: an iterator over the stream costs more than all the rest of reading a small body. */
function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let counted = 0
    const settle = (end: () => void): void => {
      request.off('data', take).off('end', done).off('error', fail).off('close', gone)
      held -= counted
      counted = 0
      end()
    }
    const refuse = (error: Error): void =>
      settle(() => {
        // The rest is let through unread, so that the refusal can be answered.
        request.resume()
        reject(error)
      })
    const take = (chunk: Buffer): void => {
      counted += chunk.length
      held += chunk.length
      if (counted > bytesMax) return refuse(tooLarge(bytesMax))
      if (held > heldMax) return refuse(new ApiError('internal_error', { reason: 'busy' }, 5))
      chunks.push(chunk)
    }
    const done = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const fail = (error: Error): void => settle(() => reject(error))
    const gone = (): void => fail(new Error('The caller left before its body was whole'))
    request.on('data', take).on('end', done).on('error', fail).on('close', gone)
  })
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
    throw new ApiError('validation_error', {
      path: '',
      rule: 'content_type',
      expected: 'application/json',
      hint: 'content_type',
    })
  }
}

const tooLarge = (limit: number): ApiError => new ApiError('validation_error', { path: '', rule: 'body_bytes', limit })

const malformed = (rule: string): ApiError => new ApiError('validation_error', { path: '', rule })
