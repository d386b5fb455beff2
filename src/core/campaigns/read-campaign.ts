/** Parses a well-formed CampaignRequest: validates the content, then the sender. */
import type { CampaignRequest } from '../../contract/campaigns.ts'
import type { CampaignDraft } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../db/connection/connect.ts'
import { validateContent } from '../../mail/content/validate-content.ts'
import { refuseControls } from '../input/refuse-controls.ts'
import { chooseSender } from '../sending/choose-sender.ts'

export type WrittenCampaign = Omit<CampaignDraft, 'trackOpens' | 'trackClicks'>

/** Throws `validation_error`, `unverified_from_domain`, and `not_found` for a sender that the workspace does not have. */
export async function readCampaign(
  ctx: { db: Database },
  workspaceId: number,
  request: CampaignRequest,
): Promise<WrittenCampaign> {
  refuseControls(request.name, 'name')
  const { subject, preheader, source } = validateContent(request)
  const sender = await chooseSender(ctx, workspaceId, request.from ?? null)
  return { name: request.name, subject, preheader, ...sender, kind: source.kind, source }
}
