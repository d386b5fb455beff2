/**
 * POST /messages/cancel-selected: a user cancels selected messages, each in a transaction of its own
 * so that the quota's row is never locked for long. API keys cannot.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Verb } from '../verb.ts'
import { cancelEmail } from './cancel-email.ts'

export const cancelSelectedEmails: Verb<'cancelSelectedEmails'> = async (ctx, { body }) => {
  const ids = [...new Set(body.ids)]
  let canceled = 0
  for (const id of ids) {
    const isCanceled = await cancelEmail(ctx, { params: { id } }).then(() => true, isUnchanged)
    if (isCanceled) canceled++
  }
  return { body: { object: 'canceled_emails', canceled, unchanged: ids.length - canceled } }
}

/** False for a message that is not scheduled or not there; throws anything else. */
function isUnchanged(refusal: unknown): false {
  if (refusal instanceof ApiError && ['conflict', 'not_found'].includes(refusal.code)) return false
  throw refusal
}
