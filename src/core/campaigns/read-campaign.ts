/**
 * Parses a well-formed CampaignRequest under its own names (own-names.ts): validates addresses for
 * replies, the content, then the sender.
 */
import type { CampaignRequest } from '../../contract/campaigns.ts'
import { formatMailbox } from '../../ground/address.ts'
import type { Database } from '../../database/client/database.ts'
import { validateContent } from '../../mail/content/validate-content.ts'
import { refuseMisleading } from '../input/check-values.ts'
import { chooseSender } from '../sending/choose-sender.ts'
import { readMailboxes } from '../sending/read-email.ts'
import { requestToStored } from './field-values.ts'

/**
 * Returns the fields that a request decides, as they are stored. Throws `validation_error`,
 * `unverified_from_domain`, and `not_found` for a sender that the workspace does not have.
 */
export async function readCampaign(
  ctx: { db: Database },
  { workspaceId, request }: { workspaceId: number; request: CampaignRequest },
) {
  refuseMisleading(request.name, 'name')
  const replyTo = readMailboxes(request.replyTo, 'replyTo').map(({ name, address }) =>
    formatMailbox({ name, address }),
  )
  const content = validateContent(request)
  const sender = await chooseSender(ctx, { workspaceId, from: request.from ?? null })
  return { ...requestToStored(request), replyTo, ...content, ...sender, kind: content.source.kind }
}
