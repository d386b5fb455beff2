/**
 * GET /campaigns/{id}/recipients/export: the frozen list, or the recipients with one outcome, for a
 * spreadsheet.
 */
import type {
  CampaignRecipient,
  RecipientWanted,
} from '../../../contract/workspace/campaign-recipients.ts'
import { csvLine } from '../../../ground/csv/write-csv.ts'
import {
  findRecipients,
  type FoundRecipient,
} from '../../../db/campaigns/campaign-recipient-pages.ts'
import type { CallContext } from '../../context.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { refuseExpiredRead } from '../expired-details.ts'
import { findCampaign } from '../find-campaign.ts'
import { fileNameOf } from './file-name.ts'
import { presentRecipient } from './present-recipient.ts'
import type { Verb } from '../../verb.ts'

export const exportCampaignRecipients: Verb<'exportCampaignRecipients'> = async (
  ctx,
  { params, query },
) => {
  const campaign = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  await refuseExpiredRead(ctx, campaign)
  const { id, name } = campaign
  const only = query.only ?? null
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, {
      act: 'campaign.exported',
      subject: name,
      details: { campaign: id, only },
    }),
  )
  return {
    body: {
      type: 'text/csv; charset=utf-8',
      name: fileNameOf(name, only ?? 'recipients', 'csv'),
      bytes: lines(ctx, id, only),
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
  ctx: CallContext,
  campaignId: string,
  filter: RecipientWanted | null,
): AsyncGenerator<Buffer> {
  // Begins with a byte order mark: without it, spreadsheets assume another encoding.
  yield Buffer.from(`\ufeff${csvLine(columns.map(([title]) => title))}`)
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null;) {
    const key = { workspaceId: ctx.workspaceId, campaignId }
    const stretch: FoundRecipient = await findRecipients(ctx.db, key, {
      after,
      scanMax: atOnce,
      max: atOnce,
      filter,
    })
    const rows = stretch.matches.map((row) => ({ ...presentRecipient(row), captured: null }))
    if (rows.length > 0)
      yield Buffer.from(
        rows.map((row) => csvLine(columns.map(([, value]) => String(value(row) ?? '')))).join(''),
      )
    after = stretch.scannedTo
  }
}
