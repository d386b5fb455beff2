/**
 * POST /campaigns/{id}/release: sends again to recipients in doubt. Some of them will get the mail
 * twice.
 */
import type { Verb } from '../verb.ts'
import { reopenRecipients } from './reopen-recipients.ts'

export const releaseInDoubtRecipients: Verb<'releaseInDoubtRecipients'> = (
  ctx,
  { params: { id } },
) => reopenRecipients(ctx, { id, which: 'in_doubt', act: 'campaign.released' })
