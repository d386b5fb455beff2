/**
 * POST /campaigns/{id}/retry: retries recipients that failed without being cancelled; the quota is
 * debited again.
 */
import type { Verb } from '../verb.ts'
import { reopenRecipients } from './reopen-recipients.ts'

export const retryFailedRecipients: Verb<'retryFailedRecipients'> = (ctx, { params: { id } }) =>
  reopenRecipients(ctx, { id, which: 'failed', act: 'campaign.retried' })
