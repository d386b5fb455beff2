/** Mails the members who may approve a campaign that another member asks them to. */
import { isAtLeast } from '../../../contract/roles.ts'
import { approvalMailsDayMax } from '../../../contract/workspace/campaign-approval.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { Database } from '../../../database/client/database.ts'
import { membersOf } from '../../../db/users/memberships.ts'
import { takeTry } from '../../../db/users/sign-in-limits.ts'
import { findUserByEmail } from '../../../db/users/users.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import { approverRole } from '../../approvals/operations.ts'
import type { CallContext } from '../../context.ts'
import { findMailer, mailUser } from '../../identity/mail-user.ts'
import { signedInUser } from '../../signed-in-user.ts'

/**
 * Returns how many are mailed. In the caller's transaction; after the commit the caller wakes the lane `transactional`. Nobody
 * is mailed where the workspace cannot send, or asked too often today: the page shows each request.
 */
export async function mailApprovers(
  ctx: CallContext,
  tx: Database,
  {
    campaign,
    recipients,
    changedBy,
  }: {
    campaign: CampaignRow
    recipients: number
    changedBy: readonly string[]
  },
): Promise<number> {
  const { workspaceId } = ctx
  const mailer = await findMailer(tx, workspaceId)
  if (mailer === null) return 0
  const bucket = `approvals ${workspaceId}`
  if ((await takeTry(tx, [{ bucket, max: approvalMailsDayMax, minutes: 24 * 60 }])) > 0) return 0
  const { email: askedBy } = signedInUser(ctx)
  const without = new Set([askedBy, ...changedBy])
  const { slug } = await workspaceSettings(tx, workspaceId)
  const url = `${ctx.settings.baseUrl}/app/${slug}/campaigns/${campaign.id}`
  let mailed = 0
  for (const { email, role } of await membersOf(tx, workspaceId)) {
    if (!isAtLeast(role, approverRole) || without.has(email)) continue
    const { language = null } = (await findUserByEmail(tx, email)) ?? {}
    const mail = { kind: 'approval', askedBy, campaign: campaign.name, recipients, url } as const
    await mailUser(ctx, tx, { mailer, to: email, language, mail })
    mailed++
  }
  return mailed
}
