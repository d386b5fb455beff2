/** GET /forms/preview/mail: the HTML part of the mail that asks to confirm, as it is being written. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { workspaceSettings } from '../../db/workspace-settings.ts'
import { writeConfirmationMail } from '../../mail/confirmation-mail.ts'
import type { FormContext } from './form-body.ts'
import { showMail } from '../mail-frame.ts'
import { previewedMail } from './preview-form.ts'
import { readMail } from './read-form.ts'

export async function previewFormMail(
  ctx: FormContext,
  { query: { subject, text, button } }: Pick<InputOf<'previewFormMail'>, 'query'>,
): Promise<AnswerOf<'previewFormMail'>> {
  const workspace = await workspaceSettings(ctx.db, ctx.workspaceId)
  const words = readMail({ subject: subject ?? null, text: text ?? null, button: button ?? null })
  const { html } = writeConfirmationMail(workspace.language ?? ctx.settings.language, previewedMail(ctx, workspace, words))
  return showMail(ctx, html, { pictures: false })
}
