/** Adds a draft to a workspace that has room for one, by whatever way it comes. */
import type { CampaignMail } from '../../contract/campaign-fields.ts'
import { insertCampaign } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../database/client/database.ts'
import type { CallContext } from '../context.ts'
import { withinLimit } from '../input/within-limit.ts'
import { blankFields } from './field-values.ts'

/** Without a user, a program or a command wrote the content. */
export type WithUser = Partial<Pick<CallContext, 'user'>>

/**
 * Inserts in the caller's transaction; fields that are left out are blank. Returns the draft's
 * identifier. Throws `validation_error` when the workspace has too many drafts.
 */
export async function insertDraft(
  { makeId, workspaceId, user }: Pick<CallContext, 'makeId' | 'workspaceId'> & WithUser,
  tx: Database,
  mail: Omit<CampaignMail, keyof typeof blankFields> & Partial<CampaignMail>,
): Promise<string> {
  const id = makeId()
  await withinLimit(tx, workspaceId, 'drafts', () =>
    insertCampaign(tx, workspaceId, { ...blankFields, ...mail, id, savedBy: user?.email ?? null }),
  )
  return id
}
