/**
 * Answers the public pages: in the browser's language, rate-limited by IP address like every
 * request. They store nothing in the browser, send nothing to other sites and run no script. Every
 * failure is a plain page, never a redirect.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RecipientLanguage } from '../../../ground/texts/languages.ts'
import type { FormColours } from '../../../contract/workspace/forms.ts'
import type { Service } from '../../../core/context.ts'
import { writeFormId } from '../../../core/input/form-id.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import { retryAfterOf } from '../../../core/dispatch/refuse.ts'
import type { EntryPoints } from '../../../core/dispatch/entry-points.ts'
import { inRequest } from '../../../ground/log.ts'
import { html, type Html } from '../../../ground/html.ts'
import { layOutHostedPage } from '../../../core/presentation/hosted-page.ts'
import { createReadPosted, type ReadPosted } from './read-posted.ts'
import { publicTextsIn, type PublicTexts } from './texts.ts'

/** A page's answer, before its language is known. */
export interface AnsweredPage {
  /** Default 200. */
  status?: number
  /**
   * The workspace of the page, for its name, its colours and the default language. Null if there is
   * none.
   */
  workspace: {
    name: string
    language: RecipientLanguage | null
    colours?: FormColours | null
  } | null
  /** That of the contact, else of the form. Absent or null means that of the browser. */
  language?: RecipientLanguage | null
  /** A page of the workspace's owner, which the browser may go to when the form was sent. */
  leadsTo?: string | null
  show(t: PublicTexts, language: RecipientLanguage): { title: string; content: Html }
}

/** The owner's own page in place of one of ours. */
export interface OwnPage {
  goTo: string
}

/** A file in place of a page, which the browser stores. */
export interface PageFile {
  /** Safe in a header: letters, digits, `-` and `.`. */
  fileName: string
  json: string
}

export type AnswerPage = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<AnsweredPage | OwnPage | PageFile>

export interface PublicPages {
  readPosted: ReadPosted
  /** Shows a page for GET and HEAD, which change nothing. */
  addPage(path: string, answer: AnswerPage): void
  /**
   * Shows a workspace's mail in place of a page, for GET and HEAD, which change nothing. Null means
   * the link is not valid.
   */
  addMail(path: string, answer: (request: FastifyRequest) => Promise<string | null>): void
  /**
   * Handles a pressed button. `alwaysTakes`: whether to accept the request even if its IP address
   * is over its limit.
   */
  addAct(path: string, answer: AnswerPage, alwaysTakes?: (request: FastifyRequest) => boolean): void
}

/**
 * No script, nothing from other origins, in no frame. Forms go to ourselves, and where our answer
 * leads from there: browsers hold redirects to `form-action` too (CSP 3, 6.4.1).
 */
const pagePolicy = (leadsTo: string | null): string =>
  `default-src 'none'; style-src 'self'; img-src data:; form-action ${["'self'", ...(leadsTo ? [new URL(leadsTo).origin] : [])].join(' ')}; base-uri 'none'; frame-ancestors 'none'`

/**
 * An author's HTML: its own styles and pictures, and an opaque origin, where no script runs and no
 * form is sent. Its links work, also into new windows, which these restrictions do not cover.
 */
const mailPolicy =
  'sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation; ' +
  "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' https:; font-src https: data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/**
 * Never cached. The address of the page is the permission: no other site learns it (security: What
 * people reach).
 */
const privately = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
}

const sendMail = (reply: FastifyReply, markup: string): FastifyReply =>
  reply.headers({ ...privately, 'Content-Security-Policy': mailPolicy }).send(markup)

const sendFile = (reply: FastifyReply, { fileName, json }: PageFile): FastifyReply =>
  reply
    .headers({
      ...privately,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}"`,
    })
    .send(json)

export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  answered: AnsweredPage,
) => FastifyReply

export function createSendPage(service: Pick<Service, 'settings'>): SendPage {
  return (request, reply, answered) => {
    const { status, headers, markup } = renderPublicPage(
      service,
      request.headers['accept-language'],
      answered,
    )
    return reply.code(status).headers(headers).send(markup)
  }
}

/** A page in the browser's language, with the headers that every page has. */
export function renderPublicPage(
  { settings }: Pick<Service, 'settings'>,
  accepted: string | undefined,
  { status = 200, workspace, language: chosen = null, leadsTo = null, show }: AnsweredPage,
): { status: number; headers: Record<string, string>; markup: string } {
  const language =
    chosen ?? chooseRecipientLanguage(accepted, workspace?.language ?? settings.language)
  const page = layOutHostedPage({
    ...{ language, workspaceName: workspace?.name ?? null, colours: workspace?.colours ?? null },
    ...show(publicTextsIn(language), language),
  })
  const headers = {
    'Content-Language': language,
    'Content-Security-Policy': pagePolicy(leadsTo),
    Vary: 'Accept-Language',
  }
  return { status, headers: { ...privately, ...headers }, markup: page.markup }
}

/** The parts of the HTTP server that the pages need. */
export type PageParts = Pick<EntryPoints, 'answerPage' | 'readStrangersBody'>

export function openPublicPages(
  server: FastifyInstance,
  service: Service,
  { answerPage, readStrangersBody }: PageParts,
): PublicPages {
  const send = createSendPage(service)

  type Answer = (
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<AnsweredPage | OwnPage | PageFile | string>

  const serve = (answer: Answer, alwaysTakes: (request: FastifyRequest) => boolean) => {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const pageRequest = {
        address: request.ip,
        requestId: request.id,
        headers: request.raw.headers,
      }
      const counted = await answerPage(pageRequest, () => null)
      reply.headers(counted.headers)
      if (counted.code !== null && !alwaysTakes(request))
        return send(
          request,
          reply,
          counted.code === 'rate_limit_exceeded' ? tooMany() : failedPage(counted.status),
        )
      try {
        const answered = await answer(request, reply)
        if (typeof answered === 'string') return sendMail(reply, answered)
        if ('fileName' in answered) return sendFile(reply, answered)
        return 'goTo' in answered
          ? reply.headers(privately).redirect(answered.goTo, 303)
          : send(request, reply, answered)
      } catch (error) {
        service.log.error({ err: error, requestId: request.id }, 'A public page failed')
        const retryAfter = retryAfterOf(error)
        if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter))
        return send(request, reply, failedPage(retryAfter === undefined ? 500 : 503))
      }
    }
  }

  const add = (
    method: string[],
    path: string,
    answer: Answer,
    alwaysTakes?: (request: FastifyRequest) => boolean,
  ): void => {
    const handler = serve(answer, alwaysTakes ?? (() => false))
    server.route({
      method,
      url: path,
      onRequest: (request, _reply, done) => inRequest(request.id, done),
      handler,
      // A content type that cannot be read fails before the handler.
      errorHandler: (_error, request, reply) => void handler(request, reply),
    })
  }
  return {
    readPosted: createReadPosted(readStrangersBody),
    addPage: (path, answer) => add(['GET', 'HEAD'], path, answer),
    addMail: (path, answer) =>
      add(['GET', 'HEAD'], path, async (request) => (await answer(request)) ?? notValid),
    addAct: (path, answer, alwaysTakes) => add(['POST'], path, answer, alwaysTakes),
  }
}

/** Answers an unknown or expired link: always the same plain page, whatever the reason. */
export const notValid: AnsweredPage = {
  status: 404,
  workspace: null,
  show: (t) => ({ title: t.notValid, content: html`<p>${t.notValidLead}</p>` }),
}

export const tooMany = (
  whose: Pick<AnsweredPage, 'workspace' | 'language'> = { workspace: null },
): AnsweredPage => ({
  status: 429,
  ...whose,
  show: (t) => ({ title: t.tooMany, content: html`<p>${t.tooManyLead}</p>` }),
})

export const failedPage = (status: number): AnsweredPage => ({
  status,
  workspace: null,
  show: (t) => ({ title: t.failed, content: html`<p>${t.failedLead}</p>` }),
})

/** The parameter of a form's page that names who comes back, by the token of their mail's link. */
export const againParameter = 'again'

/**
 * The link to subscribe again after an unsubscribe: the workspace's form, where it has an open one.
 * With a token the form shows the address that it belongs to; no address stands in a URL.
 */
export const linkBack = (
  workspaceId: number,
  formId: string | null,
  t: PublicTexts,
  token: string | null = null,
): Html | null =>
  formId === null
    ? null
    : html`<p class="small"><a href="/forms/${writeFormId({ workspaceId, id: formId })}${token !== null && `?${againParameter}=${token}`}">${t.comeBackLink}</a></p>`
