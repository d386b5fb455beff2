/** GET /messages/{id}: one message of the log, with the timeline of each of its recipients. */
import type { MessageDetail, MessageRecipient } from '../../contract/workspace/messages.ts'
import type { CampaignMailRow } from '../../db/campaigns/campaign-mails.ts'
import {
  deferralsOf,
  filesOfMessage,
  feedbackOfCampaignMail,
  feedbackOfMessage,
  recipientsInFull,
  engagementOfCampaignMail,
  engagementOfMessage,
} from '../../db/messages/message-pages.ts'
import type { MessageRow } from '../../db/messages/messages.ts'
import { campaignMessageId } from '../../mail/campaign/campaign-headers.ts'
import { readAnswer } from '../../mail/reports/read-answer.ts'
import { linksOfMail } from '../../mail/html/mail-links.ts'
import { findCapturedCopies } from '../presentation/captured-copies.ts'
import type { CallContext } from '../context.ts'
import { isInDoubt, presentEmail } from '../presentation/present-email.ts'
import { contentOf } from './compose-message.ts'
import { contentExpiredAt, findMessage, type FoundMessage } from './find-message.ts'
import { expiredAt, finishedAt, limitOf } from '../presentation/expiry.ts'
import { linksOf } from '../../mail/html/track-html.ts'
import { readHeaderLines } from '../presentation/read-header-lines.ts'
import { presentCampaignLine, presentSingleLine } from './present-line.ts'
import { timelineOf } from './timeline.ts'
import { domainOf } from '../domain-of.ts'
import { readHead } from '../presentation/message-head.ts'
import { openRefusals } from '../refusals/explain-refusals.ts'
import type { Verb } from '../verb.ts'

/** Characters of text that a page shows. */
const textMax = 200_000

export const getMessage: Verb<'getMessage'> = async (ctx, { params }) => {
  const message = await findMessage(ctx, params.id)
  const contentExpired = await contentExpiredAt(ctx, message)
  const content = contentExpired === null ? await contentOf(ctx, message) : withoutContent
  const shared = {
    has_html: content.html !== null,
    links: linksOfMail(content).map((link) => ({ ...link, leads_to: null })),
    text: content.text?.slice(0, textMax) ?? null,
    headers: contentExpired === null ? readHeaderLines(await content.head()) : [],
    content_expired_at: contentExpired,
    details_expired_at: await detailsExpiredAt(ctx, message),
  }
  if (message.kind === 'campaign')
    return { body: { ...(await showCampaignMail(ctx, message.row)), ...shared } }
  const single = await showSingle(ctx, message.row, content.html)
  const ofContent = contentExpired === null ? {} : { files: [], can_send_again: false }
  return { body: { ...single, ...ofContent, ...shared } }
}

const withoutContent = { html: null, text: null, head: () => Promise.resolve(Buffer.alloc(0)) }

/**
 * When attempts, reports, opens and clicks of that time expired: what the timeline lacks from then
 * on.
 */
async function detailsExpiredAt(ctx: CallContext, result: FoundMessage): Promise<string | null> {
  const finished = result.kind === 'single' ? finishedAt(result.row) : null
  return finished && expiredAt(await limitOf(ctx, 'delivery_details'), finished)
}

type Shown = Omit<
  MessageDetail,
  'has_html' | 'links' | 'text' | 'headers' | 'content_expired_at' | 'details_expired_at'
>

async function showSingle(ctx: CallContext, row: MessageRow, html: string | null): Promise<Shown> {
  const { db, workspaceId } = ctx
  const [recipients, feedback, engagements, deferrals, files] = await Promise.all([
    recipientsInFull(db, workspaceId, row.id),
    feedbackOfMessage(db, workspaceId, row.id),
    engagementOfMessage(db, workspaceId, row.id),
    deferralsOf(db, workspaceId, { mailId: row.id, part: null }),
    filesOfMessage(db, workspaceId, row.id),
  ])
  const links = engagements.some(({ kind }) => kind === 'click') ? linksOf(html ?? '') : []
  const { cc, bcc, reply_to, message_id } = presentEmail(row, ctx.settings)
  const { from, written } = readHead(row.head)
  const refusals = await openRefusals(ctx, { workspaceId, domain: domainOf(from.address) })
  const copyOf = await findCapturedCopies(
    ctx,
    recipients.map(({ email, sentAt }) => ({ mailId: row.id, recipient: email, sentAt })),
  )
  return {
    ...{ ...presentSingleLine(ctx, row), cc, bcc, reply_to, message_id },
    dropped_headers: written?.dropped ?? [],
    files: files.map(({ position, name, type, size }) => ({ position, name, type, size })),
    subscriber_id: null,
    recipients: recipients.map((recipient): MessageRecipient => {
      const part = String(recipient.position)
      const mine = <Row extends { part: string }>(rows: Row[]): Row[] =>
        rows.filter((item) => item.part === part)
      return {
        ...{
          position: recipient.position,
          email: recipient.email,
          kind: recipient.kind,
          status: recipient.status,
        },
        in_doubt: isInDoubt(recipient),
        bounce: recipient.bounce,
        attempts: recipient.attempts,
        reason: recipient.error === null ? null : readAnswer(recipient.error),
        refusal: refusals.ofText(refusalIn(recipient)),
        captured: copyOf({ mailId: row.id, recipient: recipient.email }),
        timeline: timelineOf({
          ...recipient,
          ...{
            acceptedAt: row.createdAt,
            scheduledAt: row.scheduledAt,
            canceledAt: row.canceledAt,
            unsubscribedAt: null,
          },
          ...{ feedback: mine(feedback), deferrals: mine(deferrals) },
          engagements: mine(engagements).map((engagement) => ({
            ...engagement,
            link: links[engagement.linkPosition ?? -1] ?? null,
          })),
        }),
      }
    }),
    // A message to erased contacts only has no content left.
    can_send_again: row.subject !== '',
  }
}

async function showCampaignMail(ctx: CallContext, row: CampaignMailRow): Promise<Shown> {
  const { db, workspaceId } = ctx
  const domain = domainOf(row.fromEmail ?? '')
  const [feedback, engagements, deferrals, refusals] = await Promise.all([
    feedbackOfCampaignMail(db, workspaceId, row),
    engagementOfCampaignMail(db, workspaceId, row),
    deferralsOf(db, workspaceId, { mailId: row.campaignId, part: row.subscriberId }),
    openRefusals(ctx, { workspaceId, domain }),
  ])
  const mail = { mailId: row.campaignId, recipient: row.email, sentAt: row.sentAt }
  const copyOf = await findCapturedCopies(ctx, [mail])
  return {
    ...{
      ...presentCampaignLine(row),
      cc: [],
      bcc: [],
      reply_to: [],
      files: [],
      dropped_headers: [],
    },
    message_id: `<${campaignMessageId({ ...row, domain })}>`,
    subscriber_id: row.reader === null ? null : row.subscriberId,
    recipients: [
      {
        ...{
          position: 0,
          email: row.email,
          kind: 'to',
          status: row.status,
          bounce: row.bounce,
          attempts: row.attempts,
        },
        in_doubt: row.state === 'in_doubt',
        reason: row.error === null ? null : readAnswer(row.error),
        refusal: refusals.ofText(refusalIn(row)),
        captured: copyOf(mail),
        timeline: timelineOf({
          ...row,
          ...{
            acceptedAt: row.frozenAt,
            scheduledAt: null,
            canceledAt: null,
            settledAt: null,
            doubtedAt: null,
            feedback,
            engagements,
            deferrals,
          },
        }),
      },
    ],
    can_send_again: false,
  }
}

/** Why it failed; while it is tried again, the last answer. */
const refusalIn = ({
  error,
  response,
  state,
}: {
  error: string | null
  response: string | null
  state: string
}): string | null => error ?? (state === 'pending' ? response : null)
