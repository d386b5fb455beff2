/**
 * `/o/{token}` and `/c/{token}/{n}`: the open pixel and the click redirect. The answer follows the
 * commit; requests that only look ahead (HEAD, prefetch) get the same answer. No cookie is set or
 * read.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { madeForEach, ofWorkspace } from '../../../core/databases.ts'
import type { Service } from '../../../core/context.ts'
import { networkOf } from '../../../core/network-of.ts'
import { followLink } from '../../../core/tracking/follow-link.ts'
import {
  createRecordEngagement,
  type EngagementRequest,
} from '../../../core/tracking/record-engagement.ts'
import { createRepeatLimit } from '../../../core/tracking/repeat-limit.ts'
import { readTrackSubject } from '../../../core/sending/track-subject.ts'
import { inRequest } from '../../../ground/log.ts'
import { createSendPage, failedPage, notValid } from '../public/public-pages.ts'

/** One transparent dot: GIF89a, 43 bytes. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** The answer is not cached, and the linked page gets no referrer (the address holds the token). */
const headers = {
  'Cache-Control': 'no-store, private',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
}

export function addTrackingRoutes(server: FastifyInstance, service: Service): void {
  const recorderIn = madeForEach(createRecordEngagement)
  const isWithinBounds = createRepeatLimit(service.clock)
  const sendPage = createSendPage(service)

  const add = (
    url: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ): void => {
    server.route({
      method: ['GET', 'HEAD'],
      url,
      onRequest: (request, _reply, done) => inRequest(request.id, done),
      handler: (request, reply) => answer(request, reply.headers(headers)),
    })
  }

  /** Null means not a token of ours. */
  const readEngagement = (
    request: FastifyRequest,
    kind: EngagementRequest['kind'],
    link: number | null,
  ): EngagementRequest | null => {
    const subject = service.linkTokens.read('track', paramOf(request, 'token'))
    if (subject === null) return null
    const { method, ip: address, headers: sent } = request
    return { subject: readTrackSubject(subject), kind, link, method, address, headers: sent }
  }

  const databaseOf = ({ subject }: EngagementRequest) => ofWorkspace(service, subject.workspaceId)
  const mayBeKept = ({ subject, kind, link, address }: EngagementRequest): boolean =>
    isWithinBounds(JSON.stringify([networkOf(address), subject, kind, link]))

  add('/o/:token', async (request, reply) => {
    const engagement = readEngagement(request, 'open', null)
    try {
      if (engagement && mayBeKept(engagement))
        await recorderIn(await databaseOf(engagement))(engagement)
    } catch (error) {
      // The open was not stored, so the answer is an error: proxies fetch such a pixel again.
      service.log.error({ err: error }, 'An open was not stored')
      reply.code(503).header('Retry-After', '5')
    }
    return reply.type('image/gif').send(pixel)
  })

  add('/c/:token/:link', async (request, reply) => {
    const location = paramOf(request, 'link')
    const link = /^\d{1,4}$/.test(location) ? Number(location) : null
    const engagement = link === null ? null : readEngagement(request, 'click', link)
    if (engagement === null || link === null) return sendPage(request, reply, notValid)
    try {
      const at = await databaseOf(engagement)
      const isWithin = mayBeKept(engagement)
      const target = await followLink(at, {
        recordEngagement: recorderIn(at),
        engagement,
        link,
        isWithinBounds: isWithin,
      })
      return target === null
        ? sendPage(request, reply, notValid)
        : reply.code(302).header('Location', target).send()
    } catch (error) {
      service.log.error({ err: error }, 'A click was not stored')
      return sendPage(request, reply.header('Retry-After', '5'), failedPage(503))
    }
  })
}

function paramOf({ params }: FastifyRequest, name: string): string {
  const value: unknown = Object(params)[name]
  return typeof value === 'string' ? value : ''
}
