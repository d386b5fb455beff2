/**
 * `/data/{token}`: the link that a contact asked for. Opening it shows a button alone, because
 * programs fetch the links of mails; the button shows what is stored about them, once, with another
 * one for the same as a file.
 */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../contract/errors.ts'
import {
  mayOpenData,
  openData,
  type DataForm,
} from '../../../core/audience/data-requests/open-data.ts'
import type { Service } from '../../../core/context.ts'
import { ofWorkspace } from '../../../core/databases.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import { fieldsOf } from '../../../db/audience/subscriber-fields.ts'
import { subscriberById } from '../../../db/audience/subscribers.ts'
import { languageOfContact } from '../../../db/audience/topic-choices.ts'
import { notifierOf } from '../../../db/sending/notices.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import { html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { tokenOf } from './add-confirm-pages.ts'
import { evidenceAgentMax } from './add-preference-pages.ts'
import { notValid, tooMany, type AnsweredPage, type PublicPages } from './public-pages.ts'
import { showData } from './show-data.ts'
import { publicTextsIn } from './texts.ts'

export function addDataPages(pages: PublicPages, home: Service): void {
  pages.addPage('/data/:token', async (request) => {
    const link = await followLink(home, request)
    if (link === null) return notValid
    const { service, subject } = link
    return (await mayOpenData(service, { subject, form: 'page' })) ? asks(link) : used(link)
  })

  pages.addAct('/data/:token', async (request) => {
    const link = await followLink(home, request)
    if (link === null) return notValid
    const opened = await open(link, request, 'page')
    if (opened === 'too_many') return tooMany(link)
    if (opened === null) return used(link)
    const { workspace, language, writeTo, fields } = link
    return {
      ...{ workspace, language },
      show: (t, shownIn) => ({
        title: fill(t.dataShown, { workspace: workspace.name }),
        content: showData({ ...opened, workspace, writeTo, fields }, t, shownIn),
      }),
    }
  })

  pages.addAct('/data/:token/file', async (request) => {
    const link = await followLink(home, request)
    if (link === null) return notValid
    const opened = await open(link, request, 'file')
    if (opened === 'too_many') return tooMany(link)
    if (opened === null) return used(link)
    return { fileName: 'data.json', json: `${JSON.stringify(opened.contact, null, 2)}\n` }
  })
}

type FollowedLink = NonNullable<Awaited<ReturnType<typeof followLink>>>

/** Null without a token of ours. */
async function followLink(home: Service, request: FastifyRequest) {
  const token = tokenOf(request)
  const subject = home.linkTokens.read('data', token)
  if (!subject) return null
  const { workspaceId, first: subscriberId } = subject
  const service = await ofWorkspace(home, workspaceId)
  const [workspace, fields, contact, language, { sender }] = await Promise.all([
    workspaceSettings(service.db, workspaceId),
    fieldsOf(service.db, workspaceId),
    subscriberById(service.db, workspaceId, subscriberId),
    languageOfContact(service.db, workspaceId, subscriberId),
    notifierOf(service.db, workspaceId),
  ])
  const writeTo = workspace.contact ?? sender?.email ?? ''
  const mayAskAgain = workspace.dataRequests && contact !== null
  return { token, subject, service, workspace, fields, language, writeTo, mayAskAgain }
}

function open(
  { service, subject, workspace, language }: FollowedLink,
  request: FastifyRequest,
  form: DataForm,
) {
  const usual = workspace.language ?? service.settings.language
  const t = publicTextsIn(
    language ?? chooseRecipientLanguage(request.headers['accept-language'], usual),
  )
  const page = `${fill(t.dataOpenLead, { workspace: workspace.name })}\n[${t.dataOpenButton}]`
  return openData(service, {
    ...{ subject, form, ip: request.ip },
    shown: form === 'page' ? page : `${t.dataFileLead}\n[${t.dataFileButton}]`,
    userAgent: request.headers['user-agent']?.slice(0, evidenceAgentMax) ?? null,
  }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'rate_limit_exceeded')
      return 'too_many' as const
    throw error
  })
}

const asks = ({ workspace, language, token }: FollowedLink): AnsweredPage => ({
  ...{ workspace, language },
  show: (t) => ({
    title: t.dataOpen,
    content: html`<p>${fill(t.dataOpenLead, { workspace: workspace.name })}</p>
      <form method="post" action="/data/${token}"><button>${t.dataOpenButton}</button></form>`,
  }),
})

const used = ({ workspace, language, mayAskAgain }: FollowedLink): AnsweredPage => ({
  status: 410,
  ...{ workspace, language },
  show: (t) => ({
    title: t.dataUsed,
    content: html`<p>${fill(mayAskAgain ? t.dataUsedLead : t.dataGoneLead, { workspace: workspace.name })}</p>`,
  }),
})
