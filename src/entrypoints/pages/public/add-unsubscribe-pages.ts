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
import { fill } from '../../../ground/texts/texts.ts'
import { tokenOf } from './add-confirm-pages.ts'
import { leaveButton, showPreferences } from './show-preferences.ts'
import { linkBack, notValid, type AnsweredPage, type PublicPages } from './public-pages.ts'

export function addUnsubscribePages(pages: PublicPages, home: Service): void {
  const readToken = (request: FastifyRequest) =>
    home.linkTokens.read('unsubscribe', tokenOf(request))

  const done = async (
    service: Service,
    workspaceId: number,
    email: string | null,
  ): Promise<AnsweredPage> =>
    left(await workspaceSettings(service.db, workspaceId), {
      ...{ workspaceId, email },
      formId: await openFormOf(service.db, workspaceId),
    })

  pages.addPage('/unsubscribe/:token', async (request) => {
    const subject = readToken(request)
    if (!subject) return notValid
    const { workspaceId, second: subscriberId } = subject
    const service = await ofWorkspace(home, workspaceId)
    const contact = await findPreferences(service, { workspaceId, subscriberId })
    // An erased contact receives nothing either.
    if (!contact || contact.status === 'unsubscribed')
      return done(service, workspaceId, contact?.email ?? null)
    return ask(await workspaceSettings(service.db, workspaceId), contact, tokenOf(request))
  })

  pages.addAct(
    '/unsubscribe/:token',
    async (request, reply) => {
      const subject = readToken(request)
      if (!subject) return notValid
      const posted = await pages.readPosted(request, reply)
      const oneClick = posted?.get('List-Unsubscribe') === 'One-Click'
      const service = await ofWorkspace(home, subject.workspaceId)
      const who = await unsubscribeByLink(service, {
        ...subject,
        requester: {
          source: oneClick ? 'one-click' : 'link',
          ...{ ip: request.ip, userAgent: request.headers['user-agent'] ?? null },
        },
      })
      return done(service, subject.workspaceId, who?.email ?? null)
    },
    (request) => readToken(request) !== null,
  )
}

const ask = (workspace: WorkspaceSettings, contact: Preferences, token: string): AnsweredPage => ({
  workspace,
  language: contact.language,
  show: (t) => ({
    title: fill(t.unsubscribe, { workspace: workspace.name, email: contact.email }),
    content: html`<p>${fill(t.unsubscribeLead, { workspace: workspace.name })}</p>
      ${leaveButton(token, t.unsubscribeButton)}
      ${showPreferences({ contact, token, workspaceName: workspace.name }, t)}`,
  }),
})

const left = (
  workspace: WorkspaceSettings,
  {
    workspaceId,
    email,
    formId,
  }: { workspaceId: number; email: string | null; formId: string | null },
): AnsweredPage => ({
  workspace,
  show: (t) => ({
    title: t.unsubscribed,
    content: html`${email !== null && html`<p>${fill(t.unsubscribedLead, { workspace: workspace.name, email })}</p>`}
    ${linkBack(workspaceId, formId, t)}`,
  }),
})
