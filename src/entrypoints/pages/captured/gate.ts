/**
 * Checks access to the capture mailbox from other machines: it takes the operator's token, which the browser does not
 * store.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../core/context.ts'
import { chooseLanguage } from '../../../core/dispatch/dispatch.ts'
import {
  bearsToken,
  isAtThisMachine,
  isSession,
  isToken,
  makeSession,
  sessionSeconds,
} from '../../../core/operator/authorize-operator.ts'
import type { Html } from '../../../html.ts'
import { renderLogin } from './login.ts'
import { capturedTexts } from './texts.ts'

export interface Gate {
  opens(request: FastifyRequest): boolean
  cameByToken(request: FastifyRequest): boolean
  /** Answers the sign-in form if a token is set; otherwise, and for programs, 404. */
  refuse(request: FastifyRequest, reply: FastifyReply): unknown
  /** The form's own routes. */
  addEntryPoints(server: FastifyInstance): void
}

type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  page: { title: string; content: Html },
) => FastifyReply

const formBytesMax = 4_096

export function createGate(service: Service, token: string | null, sendPage: SendPage): Gate {
  /** A cookie that only this host's https pages can set, where there is https (RFC 6265bis 4.1.3.2). */
  const isSecure = (request: FastifyRequest): boolean =>
    request.protocol === 'https' || service.settings.baseUrl.startsWith('https:')
  const cookieName = (request: FastifyRequest): string => (isSecure(request) ? '__Host-facteur-operator' : 'facteur-operator')
  const setCookie = (request: FastifyRequest, value: string, seconds: number): string =>
    `${cookieName(request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`

  const cameByToken = (request: FastifyRequest): boolean =>
    isSession(readCookie(request.headers.cookie, cookieName(request)), token, service.clock.now())
  const opens = (request: FastifyRequest): boolean =>
    isAtThisMachine({ peer: request.raw.socket.remoteAddress, headers: request.headers }) ||
    bearsToken({ peer: undefined, headers: request.headers }, token) ||
    cameByToken(request)

  const ask = (request: FastifyRequest, reply: FastifyReply, { next, wrong }: { next: string; wrong: boolean }): FastifyReply => {
    const language = chooseLanguage(request.headers['accept-language'], service.settings.language)
    return sendPage(request, reply, 404, {
      title: capturedTexts[language].loginTitle,
      content: renderLogin({ language, next, wrong }),
    })
  }

  return {
    opens,
    cameByToken,
    refuse: (request, reply) =>
      token !== null && request.headers.accept?.includes('text/html')
        ? ask(request, reply, { next: ownPath(request.url), wrong: false })
        : reply.callNotFound(),
    addEntryPoints(server) {
      server.post('/captured/enter', async (request, reply) => {
        if (token === null || !isSameOrigin(request)) return reply.callNotFound()
        const form = await readForm(request.raw)
        const next = ownPath(form.get('next') ?? '')
        if (!isToken(form.get('token')?.trim() ?? '', token)) return ask(request, reply, { next, wrong: true })
        service.log.info({}, 'A browser signed in with the operator token')
        return reply
          .header('Set-Cookie', setCookie(request, makeSession(token, service.clock.now()), sessionSeconds))
          .redirect(next, 303)
      })
      server.post('/captured/leave', (request, reply) =>
        isSameOrigin(request)
          ? reply.header('Set-Cookie', setCookie(request, '', 0)).redirect('/captured', 303)
          : reply.callNotFound(),
      )
    },
  }
}

/** Only our own pages may post here; browsers state the origin of a form. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host
}

/** Never another site's address: a link must not redirect the operator elsewhere after the sign-in. */
const ownPath = (path: string): string => (/^\/captured(?:[/?][\w./?=&%~-]*)?$/.test(path) ? path : '/captured')

function readCookie(header: string | undefined, name: string): string {
  const pair = header?.split(/; */).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? ''
}

/** Reads a form as browsers send it; one that is too long reads as empty. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > formBytesMax) return new URLSearchParams()
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
