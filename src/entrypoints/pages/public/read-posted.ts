/**
 * Reads the fields of a page's form, or of a mail program's one-click POST: texts by name (RFC 8058
 * 3.1 allows both encodings).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../../../contract/limits.ts'
import type { ReadStrangersBody } from '../../../core/dispatch/entry-points.ts'

export type ReadPosted = (
  request: FastifyRequest,
  reply: FastifyReply,
  bytesMax?: number,
) => Promise<ReadonlyMap<string, string> | null>

/**
 * The first text of each name. Null means longer than any form of ours, not there in time, or no
 * form at all.
 */
export function createReadPosted(readBody: ReadStrangersBody): ReadPosted {
  return async (request, reply, bytesMax = limits.strangersBodyBytes) => {
    const read = await readBody(request, reply, bytesMax)
    if ('refused' in read) return null
    try {
      const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
      const posted = new Response(new Uint8Array(read.bytes), { headers: { 'content-type': type } })
      // The deprecation warns that it holds the whole body, and so do we.
      // oxlint-disable-next-line typescript/no-deprecated
      const form = await posted.formData()
      const texts = [...form].flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      )
      return new Map(texts.toReversed())
    } catch {
      return null
    }
  }
}
