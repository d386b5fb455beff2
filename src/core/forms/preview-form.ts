/** POST /forms/preview: renders an unsaved form exactly as its page would. Nothing is stored. */
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { writeConfirmationMail } from '../../mail/notices/confirmation-mail.ts'
import { notifierOf } from '../../db/sending/notices.ts'
import { layOutHostedPage } from '../presentation/hosted-page.ts'
import type { FormContext } from './form-body.ts'
import { contrastOf } from './form-colours.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'
import { readForm } from './read-form.ts'
import { renderForm } from './render-form.ts'
import { withTypes } from './typed-asks.ts'
import type { Verb } from '../verb.ts'

export const previewForm: Verb<'previewForm'> = async (ctx, { body, query }) => {
  const form = readForm(body)
  const [typed = { ...form, offeredTopics: [] }] = await withTypes(ctx.db, ctx.workspaceId, [form])
  const workspace = await workspaceSettings(ctx.db, ctx.workspaceId)
  const ours = form.language ?? workspace.language ?? ctx.settings.language
  const language = query.language ?? ours
  const { sender } = await notifierOf(ctx.db, ctx.workspaceId)
  const nothing = { typed: new Map(), problems: new Map(), notice: null, stamp: '', action: '' }
  const page = layOutHostedPage({
    ...{ language, workspaceName: workspace.name, title: form.name, colours: form.colours },
    content: renderForm(
      { form: typed, workspaceName: workspace.name, ...nothing },
      recipientTexts[language].form,
    ),
  })
  const { subject, text } = writeConfirmationMail(
    ours,
    previewedMail(ctx, { ...workspace, words: form.mail }),
  )
  return {
    body: {
      object: 'form_preview',
      page: page.markup,
      mail: { from: sender?.email ?? null, subject, text },
      contrast: form.colours && contrastOf(form.colours),
    },
  }
}

/** The link in a preview confirms nothing. */
export const previewedMail = (
  { settings }: Pick<FormContext, 'settings'>,
  {
    name,
    postalAddress,
    words,
  }: { name: string; postalAddress: string | null; words: ReturnType<typeof readForm>['mail'] },
): Parameters<typeof writeConfirmationMail>[1] => ({
  ...{ workspaceName: name, postalAddress, words },
  link: `${settings.baseUrl}/confirm/…`,
})
