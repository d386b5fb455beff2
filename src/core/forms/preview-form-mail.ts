/** GET /forms/preview/mail: the HTML part of an unsaved form's confirmation mail. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { writeConfirmationMail } from '../../mail/notices/confirmation-mail.ts'
import type { FormContext } from './form-body.ts'
import { frameMail } from '../presentation/mail-frame.ts'
import { previewedMail } from './preview-form.ts'
import { readFormMail } from './read-form.ts'

export async function previewFormMail(
  ctx: FormContext,
  { query: { subject, text, button } }: Pick<InputOf<'previewFormMail'>, 'query'>,
): Promise<AnswerOf<'previewFormMail'>> {
  const workspace = await workspaceSettings(ctx.db, ctx.workspaceId)
  const words = readFormMail({ subject: subject ?? null, text: text ?? null, button: button ?? null })
  const { html } = writeConfirmationMail(workspace.language ?? ctx.settings.language, previewedMail(ctx, workspace, words))
  return frameMail(ctx, html, { pictures: false })
}
