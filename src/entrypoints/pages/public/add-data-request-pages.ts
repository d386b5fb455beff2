/**
 * `POST /preferences/{token}/data` mails a contact the link to their data; `…/erasure` asks the workspace
 * to erase one whose address is suppressed.
 *
 * The token is that of the unsubscribe link. Who was forwarded a mail has it too: so it shows no
 * data, the link to them goes to the address alone, and it erases nobody.
 */
import type { FastifyRequest } from 'fastify'
import { askForData, type DataRequest } from '../../../core/audience/data-requests/ask-for-data.ts'
import { dataOffer, type DataOffer } from '../../../core/audience/data-requests/data-offer.ts'
import { findPreferences } from '../../../core/audience/preferences/find-preferences.ts'
import type { Service } from '../../../core/context.ts'
import { ofWorkspace } from '../../../core/databases.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import { html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { tokenOf } from './add-confirm-pages.ts'
import { evidenceAgentMax } from './add-preference-pages.ts'
import {
  notValid,
  tooMany,
  type AnsweredPage,
  type OwnPage,
  type PublicPages,
} from './public-pages.ts'
import { sayDataOffer } from './show-data-offer.ts'
import { publicTextsIn } from './texts.ts'

export function addDataRequestPages(pages: PublicPages, home: Service): void {
  pages.addAct('/preferences/:token/data', async (request) => {
    const link = await followLink(home, request)
    if (link === null) return notValid
    const taken = link.contact && (await ask(link, 'mail', request))
    if (taken === 'too_many') return tooMany(whoseOf(link))
    return taken === null || link.contact === null ? backTo(link) : sent(link, link.contact)
  })

  pages.addAct('/preferences/:token/erasure', async (request) => {
    const link = await followLink(home, request)
    if (link === null) return notValid
    const offer = await offerOf(link)
    const taken = offer?.kind === 'left' ? await ask(link, 'left', request, offer.writeTo) : null
    if (taken === 'too_many') return tooMany(whoseOf(link))
    return taken === null || offer === null ? backTo(link) : recorded(link, offer.writeTo)
  })
}

type FollowedLink = NonNullable<Awaited<ReturnType<typeof followLink>>>

/** Null without a token of ours; `contact` is null when they were erased. */
async function followLink(home: Service, request: FastifyRequest) {
  const token = tokenOf(request)
  const subject = home.linkTokens.read('unsubscribe', token)
  if (!subject) return null
  const { workspaceId, second: subscriberId } = subject
  const service = await ofWorkspace(home, workspaceId)
  const workspace = await workspaceSettings(service.db, workspaceId)
  const contact = await findPreferences(service, { workspaceId, subscriberId })
  return { token, subject, service, workspace, contact }
}

const whoseOf = ({ workspace, contact }: FollowedLink) => ({
  workspace,
  language: contact?.language ?? null,
})

/** Evidence has the words in the language of the page that the contact saw. */
async function ask(
  { service, subject, workspace, contact }: FollowedLink,
  kind: DataRequest['kind'],
  request: FastifyRequest,
  writeTo = '',
) {
  const usual = workspace.language ?? service.settings.language
  const t = publicTextsIn(
    contact?.language ?? chooseRecipientLanguage(request.headers['accept-language'], usual),
  )
  const names = { workspace: workspace.name, email: contact?.email ?? '' }
  return askForData(service, {
    ...{ kind, subject },
    shown: `${sayDataOffer({ kind, writeTo }, names, t)}\n[${kind === 'mail' ? t.dataButton : t.dataErasure}]`,
    ip: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, evidenceAgentMax) ?? null,
  })
}

/** The page says what is possible now. */
const backTo = ({ token }: FollowedLink): OwnPage => ({ goTo: `/unsubscribe/${token}` })

async function offerOf({ service, subject, contact }: FollowedLink): Promise<DataOffer | null> {
  const { workspaceId } = subject
  return contact && dataOffer(service, service.db, { workspaceId, email: contact.email })
}

const sent = (
  { workspace, token }: FollowedLink,
  { email, language }: NonNullable<FollowedLink['contact']>,
): AnsweredPage => ({
  ...{ workspace, language },
  show: (t) => ({
    title: t.dataSent,
    content: html`<p>${fill(t.dataSentLead, { email })}</p>
      <p class="small"><a href="/unsubscribe/${token}">${t.dataBack}</a></p>`,
  }),
})

const recorded = (link: FollowedLink, writeTo: string): AnsweredPage => ({
  ...whoseOf(link),
  show: (t) => ({
    title: t.dataErasureRequested,
    content: html`<p>${fill(t.dataErasureRequestedLead, { workspace: link.workspace.name, contact: writeTo })}</p>
      <p class="small"><a href="/unsubscribe/${link.token}">${t.dataBack}</a></p>`,
  }),
})
