/**
 * `/captured`: the pages of the capture mailbox. GET changes nothing. Callers' content is shown as
 * text, their HTML in a frame without scripts. It opens on this machine or with the operator's
 * token; all others get 404.
 */
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../../contract/errors.ts'
import { ofWorkspace } from '../../../core/databases.ts'
import { inEachDatabase } from '../../../core/each-workspace.ts'
import type { Service } from '../../../core/context.ts'
import { readCursor, writeCursor, type CursorPosition } from '../../../core/input/cursor.ts'
import { chooseLanguage } from '../../../core/dispatch/call.ts'
import {
  campaignRecipientStatus,
  capturedEntries,
  capturedMail,
  type CapturedMailRow,
} from '../../../db/captured/captured-mails.ts'
import { messagesById } from '../../../db/messages/messages.ts'
import { findWorkspace, workspacePage } from '../../../db/workspaces/workspaces.ts'
import { sendersOf } from '../../../db/workspaces/senders.ts'
import { isId, timeOfId } from '../../../ground/ids.ts'
import { inRequest } from '../../../ground/log.ts'
import { html, type Html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { renderList } from './captured-list.ts'
import { renderCapturedMail, type RenderedRecipient } from './captured-mail.ts'
import { expiredAt, limitOf } from '../../../core/presentation/expiry.ts'
import { frameMailAlone } from '../../../core/presentation/mail-frame.ts'
import { readPageStyle } from '../read-page-style.ts'
import type { ReadStrangersBody } from '../../../core/dispatch/entry-points.ts'
import { createReadPosted } from '../public/read-posted.ts'
import { createGate } from './gate.ts'
import { layOutCapturedPage } from './layout.ts'
import { parseCapturedMail } from '../../../core/captured/read-mail.ts'
import { capturedTexts, inWords } from './texts.ts'

const mailsAtOnce = 50
const workspacesMax = 200
const listRefreshSeconds = 5
/** The page refreshes this often while feedback on a recipient is pending. */
const feedbackRefreshSeconds = 3

/** No scripts, nothing from other origins, in no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** A caller's HTML: its own styles and images, and an opaque origin. */
const mailPolicy =
  "sandbox; default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
const bytesPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

export interface CapturedParts {
  operatorToken: string | null
  program: string
  readStrangersBody: ReadStrangersBody
}

export function addCapturedPages(
  server: FastifyInstance,
  service: Service,
  { operatorToken, program, readStrangersBody }: CapturedParts,
): void {
  const language = (request: FastifyRequest): Language =>
    chooseLanguage(request.headers['accept-language'], service.settings.language)
  const gate = createGate(service, {
    token: operatorToken,
    sendPage: (request, reply, status, { title, content }) =>
      sendPage(request, reply, { status, title, content, refreshSeconds: null }),
    readPosted: createReadPosted(readStrangersBody),
  })

  const sendPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    page: { status?: number; title: string; content: Html; refreshSeconds: number | null },
  ): FastifyReply => {
    const { status = 200, ...rest } = page
    const laidOut = layOutCapturedPage({
      ...rest,
      language: language(request),
      mayLeave: gate.cameByToken(request),
    })
    return send(reply.code(status), 'text/html; charset=utf-8', pagePolicy, laidOut.markup)
  }

  /** Adds a route behind the gate; its handler runs in the scope of its request. */
  const addPage = (
    path: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    server.get(
      path,
      { onRequest: (request, _reply, done) => inRequest(request.id, done) },
      (request, reply) =>
        gate.opens(request) ? answer(request, reply) : gate.refuse(request, reply),
    )
  }

  addPage('/captured', async (request, reply) => {
    const { workspace: slug = '', before = '', refresh = '' } = textsOf(request.query)
    const workspace = slug === '' ? null : await findWorkspace(service.db, slug)
    if (slug !== '' && !workspace) return reply.callNotFound()
    const workspaces = (await workspacePage(service.db, { after: 0, max: workspacesMax })).map(
      (row) => row.slug,
    )
    const binding = ['captured', workspace?.id ?? null]
    const position = readPlace(before, binding)
    const rows = await entriesOf(service, {
      workspaceId: workspace?.id ?? null,
      max: mailsAtOnce + 1,
      before: position,
    })
    const entries = rows.slice(0, mailsAtOnce)
    const last = rows.length > mailsAtOnce ? entries.at(-1) : undefined
    const first = position === null
    const refreshes = refresh !== 'off'
    const content = renderList({
      ...{
        entries,
        workspaces,
        first,
        refreshes,
        language: language(request),
        now: service.clock.now(),
      },
      workspace: workspace?.slug ?? null,
      older: last ? writeCursor(last, binding) : null,
      captures: (workspace ? service.providers.of(workspace.id) : service.providers.deployment)
        .captures,
      baseUrl: service.settings.baseUrl,
      program,
      sender: await exampleSender(service, workspace?.id),
    })
    const refreshSeconds = first && refreshes ? listRefreshSeconds : null
    return sendPage(request, reply, {
      title: capturedTexts[language(request)].title,
      content,
      refreshSeconds,
    })
  })

  /** The page of one mail, or a part of it. */
  const addMailPage = (
    path: string,
    answer: (mail: CapturedMatch, request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void =>
    addPage(`/captured/:workspace/:id${path}`, async (request, reply) => {
      const result = await find(service, request)
      if (result) return answer(result, request, reply)
      const expired = await expiryOf(service, request)
      if (expired === null) return reply.callNotFound()
      const t = capturedTexts[language(request)]
      const content = html`<p>${fill(t.expired, { at: inWords(expired, language(request)) })}</p>`
      return sendPage(request, reply, {
        status: 404,
        title: t.title,
        content,
        refreshSeconds: null,
      })
    })

  addMailPage('', async (result, request, reply) => {
    const mail = await parseCapturedMail(service, {
      workspaceId: result.workspace.id,
      raw: result.mail.raw,
      question: { want: 'page' },
    })
    const recipients = await recipientsOf(result)
    const content = renderCapturedMail({
      ...{
        mail,
        recipients,
        captured: result.mail,
        language: language(request),
        workspace: result.workspace.slug,
      },
      path: `/captured/${result.workspace.slug}/${result.mail.id}`,
    })
    const awaitsFeedback = recipients.some(({ status }) => status === 'queued' || status === 'sent')
    const title = mail?.subject || capturedTexts[language(request)].noSubject
    return sendPage(request, reply, {
      title,
      content,
      refreshSeconds: awaitsFeedback ? feedbackRefreshSeconds : null,
    })
  })

  addMailPage('/html', async ({ mail, workspace }, _request, reply) => {
    const requested = { workspaceId: workspace.id, raw: mail.raw }
    const markup = await parseCapturedMail(service, { ...requested, question: { want: 'html' } })
    if (markup === null) return reply.callNotFound()
    return send(reply, 'text/html; charset=utf-8', mailPolicy, frameMailAlone(markup))
  })

  addMailPage('/raw', ({ mail }, _request, reply) =>
    send(reply, 'text/plain; charset=utf-8', bytesPolicy, mail.raw),
  )

  addMailPage('/mail.eml', ({ mail }, _request, reply) => {
    reply.header('Content-Disposition', `attachment; filename="${mail.id}.eml"`)
    return send(reply, 'message/rfc822', bytesPolicy, mail.raw)
  })

  addMailPage('/files/:index', async ({ mail, workspace }, request, reply) => {
    const requested = { workspaceId: workspace.id, raw: mail.raw }
    const { index = '' } = textsOf(request.params)
    const question = { want: 'file', index: Number(index) } as const
    const file =
      /^\d{1,3}$/.test(index) && (await parseCapturedMail(service, { ...requested, question }))
    if (!file) return reply.callNotFound()
    reply.header(
      'Content-Disposition',
      `attachment; filename*=UTF-8''${encodeFileName(file.name ?? 'file')}`,
    )
    // Never the type from the mail: the browser must save the file, not open it.
    return send(reply, 'application/octet-stream', bytesPolicy, Buffer.from(file.content))
  })

  for (const [name, type, content] of [
    ['style.css', 'text/css; charset=utf-8', readPageStyle('captured')],
    ['icon.svg', 'image/svg+xml', readFileSync(new URL('icon.svg', import.meta.url))],
  ] as const)
    server.get(`/captured/${name}`, (request, reply) =>
      // The sign-in form has the style of the other pages.
      gate.opens(request) || operatorToken !== null
        ? send(reply, type, bytesPolicy, content)
        : gate.refuse(request, reply),
    )
  gate.addEntryPoints(server)
}

/** Every answer states its type, is not cached, and cannot be read by other sites. */
function send(
  reply: FastifyReply,
  type: string,
  policy: string,
  content: string | Buffer,
): FastifyReply {
  return reply
    .headers({
      'Content-Type': type,
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      // With no-referrer, browsers would omit the origin of our own forms too (Fetch 3.1).
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    })
    .send(content)
}

/**
 * The newest entries of one workspace, or of all: those of each database, put together. One that is
 * away shows none.
 */
async function entriesOf(
  service: Service,
  page: Parameters<typeof capturedEntries>[1],
): Promise<CapturedMailRow[]> {
  if (page.workspaceId !== null)
    return capturedEntries((await ofWorkspace(service, page.workspaceId)).db, page)
  const result = await inEachDatabase(
    service.databases,
    ({ db }) => capturedEntries(db, page),
    (error) => service.log.error({ err: error }, 'Captured mails of a database could not be read'),
  )
  if (result.length === 1) return result.flat()
  const positionOf = ({ at, id }: CapturedMailRow): string => `${at} ${id}`
  return result
    .flat()
    .toSorted((a, b) => (positionOf(a) > positionOf(b) ? -1 : 1))
    .slice(0, page.max)
}

type CapturedMatch = NonNullable<Awaited<ReturnType<typeof find>>>

async function find(service: Service, request: FastifyRequest) {
  const { workspace: slug = '', id = '' } = textsOf(request.params)
  const workspace = isId(id) ? await findWorkspace(service.db, slug) : null
  if (workspace === null) return null
  const { db } = await ofWorkspace(service, workspace.id)
  const mail = await capturedMail(db, workspace.id, id)
  return mail && { db, workspace, mail }
}

/** When a mail with such an identifier expired. Null if it has not, or there was none. */
async function expiryOf(service: Service, request: FastifyRequest): Promise<string | null> {
  const { workspace: slug = '', id = '' } = textsOf(request.params)
  const workspace = isId(id) ? await findWorkspace(service.db, slug) : null
  if (workspace === null) return null
  const { db } = await ofWorkspace(service, workspace.id)
  return expiredAt(
    await limitOf({ db, workspaceId: workspace.id }, 'captured'),
    new Date(timeOfId(id)),
  )
}

/** All recipients of a message, or the one recipient of a campaign's mail. */
async function recipientsOf({
  db,
  workspace: { id: workspaceId },
  mail,
}: CapturedMatch): Promise<RenderedRecipient[]> {
  const { messageId, campaignId, subscriberId } = mail
  if (messageId !== null)
    return (await messagesById(db, workspaceId, [messageId]))[0]?.recipients ?? []
  if (campaignId === null || subscriberId === null) return []
  const row = await campaignRecipientStatus(db, workspaceId, { campaignId, subscriberId })
  return row ? [{ ...row, kind: 'to' }] : []
}

/** An unknown cursor means the first page, so that an old link still shows mail. */
function readPlace(before: string, binding: unknown): CursorPosition | null {
  try {
    return readCursor(before, binding)
  } catch {
    return null
  }
}

async function exampleSender(service: Service, workspaceId: number | undefined): Promise<string> {
  const chosen = workspaceId ?? (await workspacePage(service.db, { after: 0, max: 1 }))[0]?.id
  const [sender] =
    chosen === undefined ? [] : await sendersOf((await ofWorkspace(service, chosen)).db, chosen)
  return sender?.email ?? 'hello@demo.test'
}

/** RFC 8187 3.2.1: characters outside `attr-char` are percent-encoded. */
const encodeFileName = (name: string): string =>
  encodeURIComponent(name.toWellFormed().slice(0, 200)).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )

/** A repeated parameter counts as absent. */
function textsOf(values: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(values)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}
