/** Explains the refusals of a campaign by their causes, and what it paused for. */
import { refusalsShownMax, type CampaignRun } from '../../../contract/workspace/campaign-run.ts'
import { campaignRefusals } from '../../../db/campaigns/campaign-refusals.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { Database } from '../../../database/client/database.ts'
import { refusalsOfDomain } from '../../../db/sending/refusal-counts.ts'
import type { CallContext } from '../../context.ts'
import { domainOf } from '../../domain-of.ts'
import { openRefusals } from '../../refusals/explain-refusals.ts'

export async function explainCampaignRefusals(
  ctx: Pick<CallContext, 'language' | 'settings'> & { db: Database },
  { workspaceId, row }: { workspaceId: number; row: CampaignRow },
): Promise<Pick<CampaignRun, 'pauseRefusal' | 'refusals'>> {
  const { refused, first } = await campaignRefusals(ctx.db, { workspaceId, campaignId: row.id })
  if (refused.length === 0) return { pauseRefusal: null, refusals: [] }
  const domain = domainOf(row.fromEmail ?? '')
  const [refusals, ofDomain] = await Promise.all([
    openRefusals(ctx, { workspaceId, domain }),
    refusalsOfDomain(ctx.db, workspaceId, domain),
  ])
  /** The address is known of the domain's refusals of the last weeks. */
  const explain = (cause: string) =>
    refusals.ofCause(cause, ofDomain.find((known) => known.cause === cause)?.address ?? null)
  const [main] = first
  return {
    pauseRefusal: row.pauseReason === 'refusals' && main !== undefined ? explain(main.cause) : null,
    refusals: refused
      .flatMap(({ cause, count }) => {
        const explained = explain(cause)
        return explained === null
          ? []
          : [{ object: 'refusal' as const, ...explained, count, last_at: null }]
      })
      .slice(0, refusalsShownMax),
  }
}
