/** Finds one message of the log by its identifier: a single e-mail, or a campaign's mail to one subscriber. */
import { ApiError } from '../../contract/errors.ts'
import { campaignMails, type CampaignMailRow } from '../../db/campaigns/campaign-mails.ts'
import { messagesById, type MessageRow } from '../../db/messages/messages.ts'
import { isId } from '../../ids.ts'
import type { CallContext } from '../context.ts'

export type FoundMessage = { kind: 'single'; row: MessageRow } | { kind: 'campaign'; row: CampaignMailRow }

/** Throws `not_found`. */
export async function findMessage(ctx: CallContext, id: string): Promise<FoundMessage> {
  const [first = '', second] = id.split('.', 3)
  if (isId(first) && second === undefined) {
    const [row] = await messagesById(ctx.db, ctx.workspaceId, [first])
    if (row) return { kind: 'single', row }
  }
  if (isId(first) && second !== undefined && isId(second) && id === `${first}.${second}`) {
    const [row] = await campaignMails(ctx.db, ctx.workspaceId, [{ campaignId: first, subscriberId: second }])
    if (row) return { kind: 'campaign', row }
  }
  throw new ApiError('not_found', { id })
}
