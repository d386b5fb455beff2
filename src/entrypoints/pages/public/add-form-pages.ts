/**
 * `/forms/{id}`: a sign-up form. Showing it changes nothing; sending it gives the same page for
 * every address.
 */
import type { FastifyRequest } from 'fastify'
import type { Service } from '../../../core/context.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import {
  findPreferences,
  type Preferences,
} from '../../../core/audience/preferences/find-preferences.ts'
import { findForm, isFormOpen, type FoundForm } from '../../../core/forms/find-form.ts'
import { consentOf } from '../../../core/forms/form-texts.ts'
import type { SignUpProblems } from '../../../core/forms/read-sign-up.ts'
import { signUp } from '../../../core/forms/sign-up.ts'
import { makeStamp } from '../../../core/forms/stamp.ts'
import type { FormWithWorkspace } from '../../../db/forms/sign-up-forms.ts'
import { html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import {
  againParameter,
  notValid,
  tooMany,
  type AnsweredPage,
  type PublicPages,
} from './public-pages.ts'
import { renderForm } from '../../../core/forms/render-form.ts'
import { publicTextsIn, type PublicTexts } from './texts.ts'

const nothingTyped: ReadonlyMap<string, string> = new Map()
const noProblems: SignUpProblems = new Map()

export function addFormPages(pages: PublicPages, service: Service): void {
  const find = async ({ params }: FastifyRequest): Promise<FormCall | null> => {
    const id = String(Object(params).id)
    const form = await findForm(service, id)
    return form && { ...form, action: `/forms/${id}` }
  }
  /** The form with a stamp of now. */
  const show = ({ workspaceId, form, action }: FormCall, shown: Shown = {}): AnsweredPage => {
    const stamp = makeStamp(service.linkTokens, { workspaceId, id: form.id }, form.nowMs)
    const { typed = nothingTyped, problems = noProblems, notice = () => null, status = 200 } = shown
    const view = { form, action, workspaceName: form.workspaceName, stamp, typed, problems }
    return {
      status,
      ...whose(form),
      leadsTo: form.thanksUrl,
      show: (t) => ({ title: form.name, content: renderForm({ ...view, notice: notice(t) }, t) }),
    }
  }

  pages.addPage('/forms/:id', async (request) => {
    const result = await find(request)
    if (!result) return notValid
    if (!(await isFormOpen(result))) return closed(result.form)
    const contact = await findReturning(result, request)
    if (!contact) return show(result)
    const language = contact.language ?? result.form.language
    return { ...show(result, { typed: new Map([['email', contact.email]]) }), language }
  })

  pages.addAct('/forms/:id', async (request, reply) => {
    const result = await find(request)
    if (!result) return notValid
    const { form, workspaceId } = result
    if (!(await isFormOpen(result))) return closed(form)
    const typed = await pages.readPosted(request, reply)
    if (!typed) return notValid
    const language =
      form.language ??
      chooseRecipientLanguage(
        request.headers['accept-language'],
        form.workspaceLanguage ?? service.settings.language,
      )
    const answer = await signUp(result.service, {
      ...{
        workspaceId,
        form,
        typed,
        language,
        ip: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
      },
      shown: consentOf(form, form.workspaceName, publicTextsIn(language)),
    })
    if (answer === 'taken') return form.thanksUrl === null ? taken(form) : { goTo: form.thanksUrl }
    if (answer === 'too_many') return tooMany(whose(form))
    if (answer === 'again') return show(result, { typed, notice: (t) => t.checkOnce })
    return show(result, { ...answer, typed, status: 422, notice: (t) => t.problems })
  })
}

/** The contact of the link to subscribe again, which is as secret as the link of their mail. */
async function findReturning(
  { service, workspaceId }: FormCall,
  { query }: FastifyRequest,
): Promise<Preferences | null> {
  const token = String(Object(query)[againParameter])
  const subject = service.linkTokens.read('unsubscribe', token)
  if (subject?.workspaceId !== workspaceId) return null
  return findPreferences(service, { workspaceId, subscriberId: subject.second })
}

interface FormCall extends FoundForm {
  action: string
}

interface Shown {
  typed?: ReadonlyMap<string, string>
  problems?: SignUpProblems
  notice?: (t: PublicTexts) => string
  status?: number
}

const whose = ({
  workspaceName,
  workspaceLanguage,
  language,
  colours,
}: FormWithWorkspace): Pick<AnsweredPage, 'workspace' | 'language'> => ({
  workspace: { name: workspaceName, language: workspaceLanguage, colours },
  language,
})

const closed = (form: FormWithWorkspace): AnsweredPage => ({
  status: 404,
  ...whose(form),
  show: (t) => ({ title: t.closed, content: html`<p>${t.closedLead}</p>` }),
})

const taken = (form: FormWithWorkspace): AnsweredPage => ({
  ...whose(form),
  show: (t) => ({
    title: t.taken,
    content: html`<p>${fill(t.takenLead, { workspace: form.workspaceName })}</p>
      <p class="small">${t.takenNothing}</p>`,
  }),
})
