/** Renders the blocks that a signed-in user wrote a message in; a key gives `html` and `text`. */
import type { InputOf } from '../../contract/operations.ts'
import type { EmailRequest } from '../../contract/emails.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { renderSingleMail } from '../../mail/content/render-single-mail.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'

/** Throws `validation_error` of the content, and where there is a text or HTML beside it. */
export async function withBlocks(
  ctx: CallContext,
  { content, ...request }: InputOf<'sendEmail'>['body'],
): Promise<EmailRequest> {
  if (content === undefined || content.length === 0) return request
  if (request.html || request.text) throw shapeError([{ path: 'content', rule: 'content_alone' }])
  const { language } = await workspaceSettings(ctx.db, ctx.workspaceId)
  const { subject } = request
  const how = { subject, language: language ?? ctx.settings.language }
  return { ...request, ...renderSingleMail(content, how) }
}
