/** DELETE /keys/{id}: revokes a key for good; calls with it are answered as revoked. */
import { ApiError, existing } from '../../contract/errors.ts'
import { findApiKey, revokeApiKeyRow } from '../../db/workspaces/api-keys.ts'
import { isId } from '../../ground/ids.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { presentApiKey } from './present-api-key.ts'
import type { Verb } from '../verb.ts'

/** A repeated call changes nothing. */
export const revokeApiKey: Verb<'revokeApiKey'> = (ctx, { params: { id } }) => {
  if (!isId(id)) throw new ApiError('not_found')
  return ctx.db.transaction(async (tx) => {
    const isRevoked = await revokeApiKeyRow(tx, ctx.workspaceId, id)
    const row = existing(await findApiKey(tx, ctx.workspaceId, id))
    if (isRevoked)
      await recordAuditEntry(tx, ctx, {
        act: 'key.revoked',
        subject: row.name,
        details: { prefix: row.prefix },
      })
    return { body: presentApiKey(row) }
  })
}
