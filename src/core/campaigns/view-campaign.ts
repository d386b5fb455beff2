/**
 * Renders a sent campaign for one of its readers in a browser: with their own links and without a
 * pixel.
 */
import { compiledCampaign } from '../../db/campaigns/campaigns.ts'
import { subscriberById } from '../../db/audience/subscribers.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import type { Context } from '../context.ts'
import { asCompiled } from '../presentation/as-compiled.ts'

/**
 * The page's HTML; null while nothing was sent. For an erased reader, the merge tags show their
 * defaults.
 */
export async function viewCampaign(
  ctx: Pick<Context, 'db' | 'linkTokens'>,
  { workspaceId, id, subscriberId }: { workspaceId: number; id: string; subscriberId: string },
): Promise<string | null> {
  const compiled = await compiledCampaign(ctx.db, workspaceId, id)
  if (compiled === null) return null
  const reader = await subscriberById(ctx.db, workspaceId, subscriberId)
  const tokens = ctx.linkTokens.makeAll({ workspaceId, first: id, second: subscriberId })
  return openTemplate(asCompiled(compiled)).renderHtml(reader, tokens)
}
