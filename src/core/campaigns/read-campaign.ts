/** Reads a CampaignRequest that has the right shape: content, then sender, each judged; or says what to mend. */
import type { CampaignRequest } from '../../contract/campaigns.ts'
import type { CampaignDraft } from '../../db/campaigns.ts'
import type { Database } from '../../db/connect.ts'
import { judgeContent } from '../../mail/judge-content.ts'
import { refuseControls } from '../refuse-controls.ts'
import { chooseSender } from './choose-sender.ts'

export type WrittenCampaign = Omit<CampaignDraft, 'trackOpens' | 'trackClicks'>

/** Throws `validation_error`, `unverified_from_domain`, and `not_found` for a sender that the workspace does not have. */
export async function readCampaign(
  ctx: { db: Database },
  workspaceId: number,
  request: CampaignRequest,
): Promise<WrittenCampaign> {
  refuseControls(request.name, 'name')
  const { subject, preheader, source } = judgeContent(request)
  const sender = await chooseSender(ctx, workspaceId, request.from ?? null)
  return { name: request.name, subject, preheader, ...sender, kind: source.kind, source }
}
