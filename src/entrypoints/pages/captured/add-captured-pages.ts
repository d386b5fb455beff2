/**
 * `/captured`: where the operator's page of captured mail begins, and what it reads and does. It
 * opens on this machine or with the operator's token; all others get 404.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../../../contract/operations.ts'
import type { Service } from '../../../core/context.ts'
import type {
  EntryPointAnswer,
  EntryPoints,
  Incoming,
  RequestHead,
} from '../../../core/dispatch/entry-points.ts'
import { chooseLanguage } from '../../../core/dispatch/call.ts'
import { mailFileHeaders } from '../../../core/presentation/mail-file-headers.ts'
import { inRequest } from '../../../ground/log.ts'
import { readPageStyle } from '../read-page-style.ts'
import { createReadPosted } from '../public/read-posted.ts'
import { createGate, type Gate } from './gate.ts'
import { layOutCapturedPage } from './layout.ts'

/** No scripts, nothing from other origins, in no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** What the page reads and does. */
const ofOperator = [
  'listCapturedMails',
  'deleteCapturedMails',
  'markCapturedRead',
  'getCapturedMail',
  'getCapturedHtml',
  'getCapturedRaw',
  'getCapturedFile',
] as const

/** The page below /app, which no workspace's slug can name. */
const page = '/app/-/captured'

export interface CapturedParts {
  operatorToken: string | null
  entryPoints: Pick<EntryPoints, 'route' | 'dispatchOperator' | 'readStrangersBody'>
}

export function addCapturedPages(
  server: FastifyInstance,
  service: Service,
  { operatorToken, entryPoints }: CapturedParts,
): void {
  const gate = createGate(service, {
    token: operatorToken,
    sendPage: (request, reply, status, shown) => {
      const language = chooseLanguage(request.headers['accept-language'], service.settings.language)
      const markup = layOutCapturedPage({ ...shown, language }).markup
      return send(reply.code(status), 'text/html; charset=utf-8', markup)
    },
    readPosted: createReadPosted(entryPoints.readStrangersBody),
  })
  for (const path of ['/captured', '/captured/:workspace/:id'])
    server.get(
      path,
      { onRequest: (request, _reply, done) => inRequest(request.id, done) },
      (request, reply) =>
        gate.opens(headOf(request)) ? leadOn(request, reply) : gate.refuse(request, reply),
    )
  server.get('/captured/style.css', (request, reply) =>
    // The sign-in form has the style of the other pages.
    gate.opens(headOf(request)) || operatorToken !== null
      ? send(reply, 'text/css; charset=utf-8', readPageStyle('captured'))
      : gate.refuse(request, reply),
  )
  gate.addEntryPoints(server)
  addOperatorRoutes(gate, service, entryPoints)
}

const headOf = ({ raw, headers }: FastifyRequest): RequestHead => ({
  peer: raw.socket.remoteAddress,
  headers,
})

/** The address stays behind `/captured`: of a mail, or of a workspace's list. */
const leadOn = ({ url }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .header('Cache-Control', 'no-store')
    .redirect(page + url.slice('/captured'.length).replace(/\/$/, ''), 302)

/** Every answer states its type, is not cached, and cannot be read by other sites. */
function send(reply: FastifyReply, type: string, content: string): FastifyReply {
  return reply
    .headers({
      'Content-Type': type,
      'Content-Security-Policy': pagePolicy,
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      // With no-referrer, browsers would omit the origin of our own forms too (Fetch 3.1).
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    .send(content)
}

/**
 * The operations of the page at `/captured/api/v1/captured…`; `workspace` in the query says whose.
 * A caller who may not read gets the answer of an unknown address.
 */
function addOperatorRoutes(
  gate: Gate,
  { settings }: Service,
  { route, dispatchOperator }: CapturedParts['entryPoints'],
): void {
  for (const operation of ofOperator) {
    const { method, path } = operations[operation]
    const answer = async (incoming: Incoming): Promise<EntryPointAnswer> => {
      const { params, query, headers } = incoming
      const input = { params, query, headers }
      const { workspace = '' } = query
      const operator = { byToken: gate.cameByToken(incoming) }
      const answered = await dispatchOperator({
        ...incoming,
        operation,
        input,
        workspace,
        operator,
      })
      const files = mailFileHeaders(answered.file, {
        operation,
        incoming,
        baseUrl: settings.baseUrl,
      })
      return { ...answered, headers: { ...answered.headers, ...files, ...notElsewhere }, operation }
    }
    route(method, `/captured${path}`, answer, gate.opens)
  }
}

/** On this machine no cookie keeps other sites away: they must not load what the page reads. */
const notElsewhere = { 'Cross-Origin-Resource-Policy': 'same-origin' }
