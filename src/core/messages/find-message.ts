/**
 * Finds one message of the log by its identifier: a single e-mail, or a campaign's mail to one
 * subscriber.
 */
import { ApiError } from '../../contract/errors.ts'
import { campaignMails, type CampaignMailRow } from '../../db/campaigns/campaign-mails.ts'
import { campaignsById } from '../../db/campaigns/campaigns.ts'
import { messagesById, type MessageRow } from '../../db/messages/messages.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import {
  absentOrExpired,
  expiredAt,
  finishedAt,
  limitOf,
  refuseExpired,
} from '../presentation/expiry.ts'

export type FoundMessage =
  | { kind: 'single'; row: MessageRow }
  | { kind: 'campaign'; row: CampaignMailRow }

/** Throws `not_found`, with `expiredAt` for a mail that was stored once. */
export async function findMessage(ctx: CallContext, id: string): Promise<FoundMessage> {
  const [first = '', second] = id.split('.', 3)
  if (isId(first) && second === undefined) return { kind: 'single', row: await findSingle(ctx, id) }
  if (isId(first) && second !== undefined && isId(second) && id === `${first}.${second}`)
    return {
      kind: 'campaign',
      row: await findOfCampaign(ctx, { id, campaignId: first, subscriberId: second }),
    }
  throw new ApiError('not_found', { id })
}

async function findSingle(ctx: CallContext, id: string): Promise<MessageRow> {
  const [row] = await messagesById(ctx.db, ctx.workspaceId, [id])
  const limit = await limitOf(ctx, 'messages')
  if (!row) throw absentOrExpired(limit, { id })
  refuseExpired(limit, { id, at: finishedAt(row) })
  return row
}

async function findOfCampaign(
  ctx: CallContext,
  { id, campaignId, subscriberId }: { id: string; campaignId: string; subscriberId: string },
): Promise<CampaignMailRow> {
  const [row] = await campaignMails(ctx.db, ctx.workspaceId, [{ campaignId, subscriberId }])
  if (row) return row
  const [campaign] = await campaignsById(ctx.db, ctx.workspaceId, [campaignId])
  refuseExpired(await limitOf(ctx, 'delivery_details'), { id, at: campaign?.completedAt ?? null })
  throw new ApiError('not_found', { id })
}

/**
 * When the texts, custom headers and files of a message expired. Null if they are stored. A
 * campaign's mail is part of the campaign.
 */
export async function contentExpiredAt(
  ctx: CallContext,
  result: FoundMessage,
): Promise<string | null> {
  const finished = result.kind === 'single' ? finishedAt(result.row) : null
  return finished && expiredAt(await limitOf(ctx, 'bodies'), finished)
}

/** Throws `not_found` where the content of the message has expired. */
export async function refuseExpiredContent(
  ctx: CallContext,
  { match: result, id }: { match: FoundMessage; id: string },
): Promise<void> {
  if (result.kind === 'single')
    refuseExpired(await limitOf(ctx, 'bodies'), { id, at: finishedAt(result.row) })
}
