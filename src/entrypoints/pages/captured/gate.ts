/**
 * Checks access to the capture mailbox, where a request from this machine is not enough: it takes
 * the operator's token, which the browser does not store.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../core/context.ts'
import type { RequestHead } from '../../../core/dispatch/entry-points.ts'
import { chooseLanguage } from '../../../core/dispatch/call.ts'
import {
  isOperator,
  isSession,
  isToken,
  makeSession,
  sessionSeconds,
} from '../../../core/operator/authorize-operator.ts'
import { networkOf } from '../../../core/network-of.ts'
import type { Language } from '../../../contract/errors.ts'
import { giveBackTry, takeTry } from '../../../db/users/sign-in-limits.ts'
import { html, type Html } from '../../../ground/html.ts'
import { recipientTexts } from '../../../ground/texts/recipient-texts.ts'
import { texts } from '../../../ground/texts/texts.ts'
import type { ReadPosted } from '../public/read-posted.ts'

/** Callers that are not signed in may send no more. */
const formBytesMax = 4_096
/** Wrong tokens of one network within a quarter of an hour. */
const triesMax = 10

export interface Gate {
  opens(request: RequestHead): boolean
  /** Whether the browser's cookie stands for the token. */
  cameByToken(request: Pick<RequestHead, 'headers'>): boolean
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

export function createGate(
  service: Service,
  {
    token,
    sendPage,
    readPosted,
  }: { token: string | null; sendPage: SendPage; readPosted: ReadPosted },
): Gate {
  /**
   * A cookie that only this host's https pages can set, where there is https (RFC 6265bis 4.1.3.2).
   */
  const isSecure = (request: FastifyRequest): boolean =>
    request.protocol === 'https' || service.settings.baseUrl.startsWith('https:')
  const cookieName = (request: FastifyRequest): string =>
    isSecure(request) ? '__Host-facteur-operator' : 'facteur-operator'
  const leadOn = (
    request: FastifyRequest,
    reply: FastifyReply,
    { session, seconds, to }: { session: string; seconds: number; to: string },
  ): FastifyReply => {
    const cookie = `${cookieName(request)}=${session}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
    return reply
      .headers({
        'Set-Cookie': isSecure(request) ? `${cookie}; Secure` : cookie,
        'Cache-Control': 'no-store',
      })
      .redirect(to, 303)
  }

  const cameByToken: Gate['cameByToken'] = ({ headers }) =>
    ['__Host-facteur-operator', 'facteur-operator'].some((name) =>
      isSession(readCookie(headers.cookie, name), token, service.clock.now()),
    )
  const opens: Gate['opens'] = (request) =>
    isOperator(request, { token, baseUrl: service.settings.baseUrl }) || cameByToken(request)

  const languageOf = (request: FastifyRequest): Language =>
    chooseLanguage(request.headers['accept-language'], service.settings.language)
  const ask = (
    request: FastifyRequest,
    reply: FastifyReply,
    { next, wrong }: { next: string; wrong: boolean },
  ): FastifyReply => {
    const language = languageOf(request)
    return sendPage(request, reply, 404, {
      title: texts[language].capturedPages.loginTitle,
      content: renderLogin({ language, next, wrong }),
    })
  }
  const refuseForNow = (
    request: FastifyRequest,
    reply: FastifyReply,
    waitSeconds: number,
  ): FastifyReply => {
    const { tooMany, tooManyLead } = recipientTexts[languageOf(request)].publicPages
    return sendPage(request, reply.header('Retry-After', waitSeconds), 429, {
      title: tooMany,
      content: html`<h1>${tooMany}</h1>
        <p>${tooManyLead}</p>`,
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
        const tries = [{ bucket: `operator ${networkOf(request.ip)}`, max: triesMax }]
        const form = await readPosted(request, reply, formBytesMax)
        const next = ownPath(form?.get('next') ?? '')
        // Counted before the token is checked: guesses made at the same time cannot pass together.
        const waitSeconds = await takeTry(service.countingDb, tries)
        if (waitSeconds > 0) return refuseForNow(request, reply, waitSeconds)
        if (!isToken(form?.get('token')?.trim() ?? '', token))
          return ask(request, reply, { next, wrong: true })
        await giveBackTry(service.countingDb, tries)
        service.log.info({}, 'A browser signed in with the operator token')
        return leadOn(request, reply, {
          session: makeSession(token, service.clock.now()),
          seconds: sessionSeconds,
          to: next,
        })
      })
      server.post('/captured/leave', (request, reply) =>
        isSameOrigin(request)
          ? leadOn(request, reply, { session: '', seconds: 0, to: '/captured' })
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

/**
 * Never another site's address: a link must not redirect the operator elsewhere after the sign-in.
 */
const ownPath = (path: string): string =>
  /^\/captured(?:[/?][\w./?=&%~-]*)?$/.test(path) ? path : '/captured'

function readCookie(header: string | undefined, name: string): string {
  const pair = header?.split(/; */).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? ''
}

/** The form that asks for the token; `next`: the page that was asked for. */
function renderLogin({
  language,
  next,
  wrong,
}: {
  language: Language
  next: string
  wrong: boolean
}): Html {
  const t = texts[language].capturedPages
  return html` <section class="login">
    <h1>${t.loginTitle}</h1>
    <p>${t.loginLead}</p>
    <form method="post" action="/captured/enter">
      <input type="hidden" name="next" value="${next}" />
      <input type="text" autocomplete="username" value="operator" readonly hidden />
      <label for="token">${t.token}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="current-password"
        required${wrong && html` aria-invalid="true" aria-describedby="wrong"`}
      />
      ${wrong && html`<p class="wrong" id="wrong" role="alert">${t.wrongToken}</p>`}
      <button>${t.enter}</button>
    </form>
  </section>`
}
