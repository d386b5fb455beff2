/**
 * POST /campaigns/{id}/recipients/export: the frozen list that was looked at, or its recipients with
 * one outcome, for a spreadsheet. They are chosen once, and read in pages afterwards.
 */
import { ApiError } from '../../../contract/errors.ts'
import type { CampaignRecipient } from '../../../contract/workspace/campaign-recipients.ts'
import { csvLine } from '../../../ground/csv/write-csv.ts'
import type { SelectedIds } from '../../../db/audience/segments/selected-ids.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { recipientsAmong, wantedIds } from '../../../db/campaigns/campaign-recipient-pages.ts'
import type { CallContext } from '../../context.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { refuseExpiredRead } from '../expired-details.ts'
import { findCampaign } from '../find-campaign.ts'
import { fileNameOf } from './file-name.ts'
import { presentRecipient } from './present-recipient.ts'
import type { Verb } from '../../verb.ts'

/** The recipients are chosen within so long. */
const secondsMax = 60

export const exportCampaignRecipients: Verb<'exportCampaignRecipients'> = async (
  ctx,
  { params, body },
) => {
  const { workspaceId } = ctx
  const campaign = await findCampaign(ctx, { workspaceId, id: params.id })
  await refuseExpiredRead(ctx, campaign)
  const { id, name } = campaign
  const only = body.only ?? null
  const key = { workspaceId, campaignId: id }
  const ids = await ctx.db.transaction(async (tx) => {
    const chosen = await wantedIds(tx, key, only, secondsMax * 1_000)
    // Compared after they were chosen: a list that was frozen again has a later moment.
    const { frozenAt } = await findCampaign({ db: tx }, { workspaceId, id })
    if (frozenAt?.getTime() !== Date.parse(body.frozen_at))
      throw new ApiError('conflict', { id, reason: 'list_changed' })
    await recordAuditEntry(tx, ctx, {
      act: 'campaign.exported',
      subject: name,
      details: { campaign: id, only, recipients: chosen.count },
    })
    return chosen
  })
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: fileNameOf(name, only ?? 'recipients', 'csv'),
      bytes: lines(ctx, key, ids),
    },
  }
}

/** Rows per statement. */
const atOnce = 2_000

const columns: [string, (recipient: CampaignRecipient) => string | number | null][] = [
  ['email', ({ email }) => email],
  ['name', ({ name }) => name],
  ['outcome', ({ outcome }) => outcome],
  ['ledger', ({ place: position }) => position],
  ['reason', ({ reason }) => reason && reason.kind],
  ['meaning', ({ reason }) => reason && reason.meaning],
  ['detail', ({ reason }) => reason && reason.detail],
  ['response', ({ response }) => response],
  ['attempts', ({ attempts }) => attempts],
  ['next_try_at', ({ nextTryAt }) => nextTryAt],
  ['sent_at', ({ sentAt }) => sentAt],
  ['delivered_at', ({ deliveredAt }) => deliveredAt],
  ['delivered_by', ({ deliveredBy }) => deliveredBy],
  ['opened_at', ({ openedAt }) => openedAt],
  ['clicked_at', ({ clickedAt }) => clickedAt],
  ['unsubscribed_at', ({ unsubscribedAt }) => unsubscribedAt],
  ['subscriber_id', ({ subscriberId }) => subscriberId],
]

async function* lines(
  { db }: CallContext,
  campaign: CampaignKey,
  ids: SelectedIds,
): AsyncGenerator<Buffer> {
  // Begins with a byte order mark: without it, spreadsheets assume another encoding.
  yield Buffer.from(`\ufeff${csvLine(columns.map(([title]) => title))}`)
  for (let begin = 0; begin < ids.count; begin += atOnce) {
    const recipients = await recipientsAmong(db, campaign, ids.between(begin, begin + atOnce))
    const rows = recipients.map((row) => ({ ...presentRecipient(row), captured: null }))
    yield Buffer.from(
      rows.map((row) => csvLine(columns.map(([, value]) => String(value(row) ?? '')))).join(''),
    )
  }
}
