/** Composes a message of the log as a mail: its bytes, HTML and text, without personal links. */
import { messageAttachments } from '../../db/sending/claims.ts'
import { compiledCampaign } from '../../db/campaigns/campaigns.ts'
import type { CampaignMailRow } from '../../db/campaigns/campaign-mails.ts'
import { filesOfMessage } from '../../db/messages/message-pages.ts'
import { messageBody, type MessageRow } from '../../db/messages/messages.ts'
import { campaignMessageId } from '../../mail/campaign/campaign-headers.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import type { PersonalTokens, Template } from '../../mail/merge/compiled-campaign.ts'
import { tokenLengths } from '../../mail/campaign/mail-layout.ts'
import type { CallContext } from '../context.ts'
import { composeEmail, withTextPart, type AdmittedEmail } from '../sending/compose-email.ts'
import type { FoundMessage } from './find-message.ts'
import { readHead } from '../presentation/message-head.ts'
import { domainOf } from '../domain-of.ts'
import { asCompiled } from '../presentation/as-compiled.ts'

/** The content of a message. */
export interface ComposedContent {
  html: string | null
  text: string | null
  /** Composed on demand. */
  raw(): Promise<Buffer>
  /**
   * The mail with empty files, for its header section: the headers are the same, and it costs no
   * more than a mail without files.
   */
  head(): Promise<Buffer>
}

export function contentOf(ctx: CallContext, message: FoundMessage): Promise<ComposedContent> {
  return message.kind === 'single'
    ? contentOfSingle(ctx, message.row)
    : contentOfCampaignMail(ctx, message.row)
}

/** Everything that determines the bytes, as the caller gave it: without a generated text part. */
export async function admittedEmail(ctx: CallContext, row: MessageRow): Promise<AdmittedEmail> {
  const [body, attachments] = await Promise.all([
    messageBody(ctx.db, ctx.workspaceId, row.id),
    messageAttachments(ctx.db, ctx.workspaceId, row.id),
  ])
  return { ...admittedHead(row), ...body, attachments }
}

function admittedHead({
  id,
  subject,
  createdAt,
  messageId,
  head,
}: MessageRow): Omit<AdmittedEmail, 'html' | 'text' | 'attachments'> {
  return { id, head: readHead(head), subject, createdAt, messageIdHeader: messageId }
}

const nothing = Buffer.alloc(0)

async function contentOfSingle(ctx: CallContext, row: MessageRow): Promise<ComposedContent> {
  const body = await messageBody(ctx.db, ctx.workspaceId, row.id)
  return {
    ...body,
    raw: async () => composeEmail(withTextPart(await admittedEmail(ctx, row))).bytes,
    head: async () => {
      const files = await filesOfMessage(ctx.db, ctx.workspaceId, row.id)
      const attachments = files.map((file) => ({
        ...file,
        filename: file.name,
        contentType: file.type,
        content: nothing,
      }))
      return composeEmail(withTextPart({ ...admittedHead(row), ...body, attachments })).bytes
    },
  }
}

async function contentOfCampaignMail(
  ctx: CallContext,
  row: CampaignMailRow,
): Promise<ComposedContent> {
  const compiled = await compiledCampaign(ctx.db, ctx.workspaceId, row.campaignId)
  if (compiled === null) return { html: null, text: null, ...nobodysMail(() => nothing) }
  const template = openTemplate(asCompiled(compiled))
  return {
    html: template.renderHtml(row.reader, null),
    text: template.renderText(row.reader, null),
    ...nobodysMail(() => fillForNobody(template, row)),
  }
}

/**
 * Replaces the reader's tokens with invalid ones: a user who views the mail must not be able to
 * unsubscribe the reader.
 */
const nobodys: PersonalTokens = {
  unsubscribe: '0'.repeat(tokenLengths.unsubscribe),
  view: '0'.repeat(tokenLengths.view),
  track: '0'.repeat(tokenLengths.track),
  mailto: '0'.repeat(tokenLengths.mailto),
}

/** Without files. */
function nobodysMail(compose: () => Buffer): Pick<ComposedContent, 'raw' | 'head'> {
  const raw = (): Promise<Buffer> => Promise.resolve(compose())
  return { raw, head: raw }
}

function fillForNobody(template: Template, row: CampaignMailRow): Buffer {
  const reader = row.reader ?? { email: row.email, firstName: null, lastName: null, fields: {} }
  const messageId = campaignMessageId({ ...row, domain: domainOf(row.fromEmail ?? '') })
  return template.fill({
    ...reader,
    email: row.email,
    tokens: nobodys,
    messageId,
    date: row.sentAt ?? row.frozenAt,
  }).bytes
}
