/** GET /forms/preview/mail: the HTML part of an unsaved form's confirmation mail. */
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { writeConfirmationMail } from '../../mail/notices/confirmation-mail.ts'
import { frameMail } from '../presentation/mail-frame.ts'
import { previewedMail } from './preview-form.ts'
import { readFormMail } from './read-form.ts'
import type { Verb } from '../verb.ts'

export const previewFormMail: Verb<'previewFormMail'> = async (
  ctx,
  { query: { subject, text, button, language } },
) => {
  const workspace = await workspaceSettings(ctx.db, ctx.workspaceId)
  const words = readFormMail({
    subject: subject ?? null,
    text: text ?? null,
    button: button ?? null,
  })
  const { html } = writeConfirmationMail(
    language ?? workspace.language ?? ctx.settings.language,
    previewedMail(ctx, { ...workspace, words }),
  )
  return frameMail(ctx, { html, pictures: false })
}
