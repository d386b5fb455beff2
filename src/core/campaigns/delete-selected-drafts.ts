/**
 * POST /drafts/delete-selected: a user deletes selected drafts, each in a transaction of its own.
 * API keys delete one at a time.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Verb } from '../verb.ts'
import { deleteDraft } from './delete-campaign.ts'

export const deleteSelectedDrafts: Verb<'deleteSelectedDrafts'> = async (ctx, { body }) => {
  const ids = [...new Set(body.ids)]
  let deleted = 0
  for (const id of ids) {
    const isDeleted = await deleteDraft(ctx, id).then(() => true, isUnchanged)
    if (isDeleted) deleted++
  }
  return { body: { object: 'deleted_drafts', deleted, unchanged: ids.length - deleted } }
}

/** False for a campaign that is no draft or not there; throws anything else. */
function isUnchanged(refusal: unknown): false {
  if (refusal instanceof ApiError && ['conflict', 'not_found'].includes(refusal.code)) return false
  throw refusal
}
