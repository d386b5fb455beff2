/**
 * `/unsubscribe/{token}`: a page with a button, what the contact may choose beside it, and the address for one-click POSTs of mail
 * programs (RFC 8058). Opening it changes nothing. The button or the one-click POST unsubscribes,
 * and repeats change nothing.
 *
 * The token is all that a POST needs: no cookie, no origin, and no readable body. No rate limit by
 * IP address refuses it: the mail programs of very many recipients share few addresses.
 */
import type { FastifyRequest } from 'fastify'
import { ofWorkspace } from '../../../core/databases.ts'
import type { Service } from '../../../core/context.ts'
import { unsubscribeByLink } from '../../../core/suppression/unsubscribe-by-link.ts'
import { dataOffer, type DataOffer } from '../../../core/audience/data-requests/data-offer.ts'
import { openFormOf } from '../../../db/forms/sign-up-forms.ts'
import {
  findPreferences,
  type Preferences,
} from '../../../core/audience/preferences/find-preferences.ts'
import {
  workspaceSettings,
  type WorkspaceSettings,
} from '../../../db/workspaces/workspace-settings.ts'
import { html } from '../../../ground/html.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { tokenOf } from './add-confirm-pages.ts'
import { showDataOffer } from './show-data-offer.ts'
import { leaveButton, showPreferences } from './show-preferences.ts'
import { linkBack, notValid, type AnsweredPage, type PublicPages } from './public-pages.ts'

export function addUnsubscribePages(pages: PublicPages, home: Service): void {
  const readToken = (request: FastifyRequest) =>
    home.linkTokens.read('unsubscribe', tokenOf(request))

  const done = async (
    service: Service,
    { workspaceId, second: subscriberId }: LinkSubject,
    token: string,
  ): Promise<AnsweredPage> => {
    const workspace = await workspaceSettings(service.db, workspaceId)
    const contact = await findPreferences(service, { workspaceId, subscriberId })
    const email = contact?.email ?? null
    return {
      language: contact?.language ?? null,
      ...left(workspace, {
        ...{ workspaceId, email, token },
        formId: await openFormOf(service.db, workspaceId),
        offer: await offerOf(service, workspace, { workspaceId, email }),
      }),
    }
  }

  pages.addPage('/unsubscribe/:token', async (request) => {
    const subject = readToken(request)
    if (!subject) return notValid
    const { workspaceId, second: subscriberId } = subject
    const service = await ofWorkspace(home, workspaceId)
    const contact = await findPreferences(service, { workspaceId, subscriberId })
    // An erased contact receives nothing either.
    if (!contact || contact.status === 'unsubscribed')
      return done(service, subject, tokenOf(request))
    const workspace = await workspaceSettings(service.db, workspaceId)
    const offer = await offerOf(service, workspace, { workspaceId, email: contact.email })
    return ask(workspace, { contact, token: tokenOf(request), offer })
  })

  pages.addAct(
    '/unsubscribe/:token',
    async (request, reply) => {
      const subject = readToken(request)
      if (!subject) return notValid
      const posted = await pages.readPosted(request, reply)
      const oneClick = posted?.get('List-Unsubscribe') === 'One-Click'
      const service = await ofWorkspace(home, subject.workspaceId)
      await unsubscribeByLink(service, {
        ...subject,
        requester: {
          source: oneClick ? 'one-click' : 'link',
          ...{ ip: request.ip, userAgent: request.headers['user-agent'] ?? null },
        },
      })
      return done(service, subject, tokenOf(request))
    },
    (request) => readToken(request) !== null,
  )
}

/** Null where nothing is offered: the contact was erased, or their workspace does not allow it. */
async function offerOf(
  service: Service,
  { dataRequests }: WorkspaceSettings,
  { workspaceId, email }: { workspaceId: number; email: string | null },
): Promise<DataOffer | null> {
  if (!dataRequests || email === null) return null
  return dataOffer(service, service.db, { workspaceId, email })
}

const ask = (
  workspace: WorkspaceSettings,
  { contact, token, offer }: { contact: Preferences; token: string; offer: DataOffer | null },
): AnsweredPage => ({
  workspace,
  language: contact.language,
  show: (t) => ({
    title: fill(t.unsubscribe, { workspace: workspace.name, email: contact.email }),
    content: html`<p>${fill(t.unsubscribeLead, { workspace: workspace.name })}</p>
      ${leaveButton(token, t.unsubscribeButton)}
      ${showPreferences({ contact, token, workspaceName: workspace.name }, t)}
      ${offer && showDataOffer({ offer, token, names: { workspace: workspace.name, email: contact.email } }, t)}`,
  }),
})

const left = (
  workspace: WorkspaceSettings,
  {
    workspaceId,
    email,
    token,
    formId,
    offer,
  }: {
    workspaceId: number
    email: string | null
    token: string
    formId: string | null
    offer: DataOffer | null
  },
): AnsweredPage => ({
  workspace,
  show: (t) => ({
    title: t.unsubscribed,
    content: html`${email !== null && html`<p>${fill(t.unsubscribedLead, { workspace: workspace.name, email })}</p>`}
    ${linkBack(workspaceId, formId, t, token)}
    ${offer && email !== null && showDataOffer({ offer, token, names: { workspace: workspace.name, email } }, t)}`,
  }),
})
