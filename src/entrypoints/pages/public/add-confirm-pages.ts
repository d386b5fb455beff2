/**
 * `/confirm/{token}`: names the workspace that asks, and has a button. Opening the page changes
 * nothing: programs fetch the links of mails.
 */
import type { FastifyRequest } from 'fastify'
import { ofWorkspace } from '../../../core/databases.ts'
import type { Service } from '../../../core/context.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import { confirmSignUp, findSignUpConfirmation } from '../../../core/forms/confirm-sign-up.ts'
import { languageOfContact } from '../../../db/audience/topic-choices.ts'
import { confirmedUrlOf, openFormOf } from '../../../db/forms/sign-up-forms.ts'
import {
  workspaceSettings,
  type WorkspaceSettings,
} from '../../../db/workspaces/workspace-settings.ts'
import type { Confirmation } from '../../../core/audience/consent/confirm-subscriber.ts'
import { html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { linkBack, notValid, type AnsweredPage, type PublicPages } from './public-pages.ts'
import { publicTextsIn } from './texts.ts'

export function addConfirmPages(pages: PublicPages, home: Service): void {
  const serviceOf = (token: string) =>
    ofWorkspace(home, home.linkTokens.read('confirm', token)?.workspaceId ?? 0)

  const show = async (
    service: Service,
    confirmation: Confirmation,
    token: string,
  ): Promise<AnsweredPage> => {
    if (confirmation.state === 'unknown') return notValid
    const { state, email, workspaceId, subscriberId } = confirmation
    const workspace = await workspaceSettings(service.db, workspaceId)
    const language = await languageOfContact(service.db, workspaceId, subscriberId)
    if (state === 'open') {
      const leadsTo = await ownPageAfter(service, token)
      return { ...ask(workspace, { email, token }), leadsTo, language }
    }
    if (state === 'suppressed') {
      const formId = await openFormOf(service.db, workspaceId)
      return { ...suppressed(workspace, workspaceId, formId), language }
    }
    return { ...confirmed(workspace, email), language }
  }

  pages.addPage('/confirm/:token', async (request) => {
    const token = tokenOf(request)
    const service = await serviceOf(token)
    return show(service, await findSignUpConfirmation(service, token), token)
  })

  pages.addAct('/confirm/:token', async (request) => {
    const token = tokenOf(request)
    const service = await serviceOf(token)
    const result = await findSignUpConfirmation(service, token)
    if (result.state !== 'open') return show(service, result, token)
    const workspace = await workspaceSettings(service.db, result.workspaceId)
    const t = publicTextsIn(
      (await languageOfContact(service.db, result.workspaceId, result.subscriberId)) ??
        chooseRecipientLanguage(
          request.headers['accept-language'],
          workspace.language ?? service.settings.language,
        ),
    )
    const goTo = await ownPageAfter(service, token)
    const confirmation = await confirmSignUp(service, {
      token,
      shown: `${fill(t.confirmLead, { workspace: workspace.name, email: result.email })}\n[${t.confirmButton}]`,
      ...{ ip: request.ip, userAgent: request.headers['user-agent'] ?? null },
    })
    const { state } = confirmation
    if (goTo !== null && (state === 'confirmed' || state === 'already')) return { goTo }
    return show(service, confirmation, token)
  })
}

/** Where the form's owner leads a contact who confirms. Null means to our page. */
const ownPageAfter = ({ db, linkTokens }: Service, token: string): Promise<string | null> => {
  const subject = linkTokens.read('confirm', token)
  return subject ? confirmedUrlOf(db, subject.workspaceId, subject.second) : Promise.resolve(null)
}

export const tokenOf = ({ params }: FastifyRequest): string => String(Object(params).token)

const ask = (
  workspace: WorkspaceSettings,
  { email, token }: { email: string; token: string },
): AnsweredPage => ({
  workspace,
  show: (t) => ({
    title: t.confirm,
    content: html`<p>${fill(t.confirmLead, { workspace: workspace.name, email })}</p>
      <form method="post" action="/confirm/${token}"><button>${t.confirmButton}</button></form>
      <p class="small">${t.confirmNotYou}</p>`,
  }),
})

const confirmed = (workspace: WorkspaceSettings, email: string): AnsweredPage => ({
  workspace,
  show: (t) => ({
    title: t.confirmed,
    content: html`<p>${fill(t.confirmedLead, { workspace: workspace.name, email })}</p>`,
  }),
})

/**
 * The request no longer holds: the contact unsubscribed since, or is suppressed. The page does not
 * say which of the two.
 */
const suppressed = (
  workspace: WorkspaceSettings,
  workspaceId: number,
  formId: string | null,
): AnsweredPage => ({
  status: 410,
  workspace,
  show: (t) => ({
    title: t.expired,
    content: html`<p>${t.expiredLead}</p>
      ${linkBack(workspaceId, formId, t)}`,
  }),
})
