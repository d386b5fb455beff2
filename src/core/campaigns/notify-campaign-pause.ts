/**
 * Notifies a workspace by mail that one of its campaigns was paused automatically: why, and what
 * mends it.
 */
import type { RefusalExplained } from '../../contract/workspace/refusals.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { campaignsById } from '../../db/campaigns/campaigns.ts'
import type { PauseReason } from '../../db/campaigns/campaign-control.ts'
import type { Database } from '../../database/client/database.ts'
import type { Language, Texts } from '../../ground/texts/texts.ts'
import type { Context } from '../context.ts'
import { noticeTexts } from '../notices/notice-texts.ts'
import { notifyWorkspace } from '../notices/notify-workspace.ts'
import { explainCampaignRefusals } from './run/explain-campaign-refusals.ts'

/**
 * Pauses for the campaign's own mail. A suspension has its own notice, and a user knows of the
 * pause that they made.
 */
type OwnPauseReason = Extract<PauseReason, keyof Texts['campaignPaused']['reasons']>

/**
 * Admits the notice in the transaction that pauses; after the commit the caller wakes the lane
 * `transactional`.
 */
export async function notifyCampaignPause(
  ctx: Pick<Context, 'makeId' | 'settings' | 'log'>,
  tx: Database,
  { key, reason, slug }: { key: CampaignKey; reason: OwnPauseReason; slug: string },
): Promise<void> {
  const { workspaceId, campaignId } = key
  const [row] = await campaignsById(tx, workspaceId, [campaignId])
  if (row === undefined) return
  const explain = async (language: Language): Promise<string> =>
    sayRefusal(
      (
        await explainCampaignRefusals(
          { db: tx, language, settings: ctx.settings },
          { workspaceId, row },
        )
      ).pauseRefusal,
    )
  const refusal =
    reason === 'refusals' ? { fr: await explain('fr'), en: await explain('en') } : null
  const texts = noticeTexts(
    ({ campaignPaused: t }) => ({
      subject: t.subject,
      paragraphs: [
        t.lead,
        t.reasons[reason],
        ...(refusal === null ? [] : ['{{refusal}}']),
        t.goesOn,
      ],
    }),
    (language) => ({
      campaign: row.name,
      refusal: refusal?.[language] ?? '',
      url: `${ctx.settings.baseUrl}/app/${slug}/campaigns/${campaignId}`,
    }),
  )
  await notifyWorkspace(ctx, tx, {
    workspaceId,
    cause: `campaign ${campaignId} paused: ${reason}`,
    texts,
  })
}

function sayRefusal(refusal: RefusalExplained | null): string {
  if (refusal === null) return ''
  const { what, next, records, link } = refusal
  const lines = records.map(({ type, name, value }) => `${name}\n${type} ${value}`)
  return [`${what} ${next}`, ...lines, ...(link === null ? [] : [link])].join('\n\n')
}
