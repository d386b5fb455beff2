/**
 * `/images/{name}`: the pictures of mails, public by their address. A picture never changes, so
 * programs and proxies may cache it for as long as they like. The name fixes its type, so the
 * response can only be a picture.
 */
import type { FastifyInstance } from 'fastify'
import { ofWorkspace } from '../../../core/databases.ts'
import type { Service } from '../../../core/context.ts'
import { imageFolder, readImageName } from '../../../core/presentation/image-address.ts'
import { createImageCache } from '../../../core/images/image-cache.ts'
import { imageSize } from '../../../db/images/images.ts'
import { inRequest } from '../../../ground/log.ts'

/** Mailboxes and their proxies show the picture in their own pages; no script runs in it. */
const headers = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  'X-Robots-Tag': 'noindex',
}

export function addImageRoute(server: FastifyInstance, service: Service): void {
  const pictureOf = createImageCache(service)
  server.route({
    method: ['GET', 'HEAD'],
    url: `${imageFolder}:name`,
    onRequest: (request, _reply, done) => inRequest(request.id, done),
    handler: async (request, reply) => {
      reply.headers(headers)
      const name = String(Object(request.params).name)
      const key = readImageName(name)
      const tag = `"${name}"`
      if (key && request.headers['if-none-match'] === tag)
        return reply.code(304).headers(forEver(tag)).send()
      try {
        if (key && request.method === 'HEAD') {
          const { db } = await ofWorkspace(service, key.workspaceId)
          const size = await imageSize(db, key)
          if (size)
            return reply
              .headers({ ...forEver(tag), 'Content-Type': size.type, 'Content-Length': size.size })
              .send()
        }
        const result = key && request.method === 'GET' ? await pictureOf(key) : null
        if (!result) return reply.code(404).header('Cache-Control', 'no-store').send()
        return reply.headers({ ...forEver(tag), 'Content-Type': result.type }).send(result.bytes)
      } catch (error) {
        service.log.error({ err: error }, 'A picture could not be read')
        return reply.code(503).headers({ 'Retry-After': '5', 'Cache-Control': 'no-store' }).send()
      }
    },
  })
}

const forEver = (tag: string) => ({
  'Cache-Control': 'public, max-age=31536000, immutable',
  ETag: tag,
})
