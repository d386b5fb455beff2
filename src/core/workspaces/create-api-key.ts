/** POST /keys: makes an API key, shown only now and stored as a digest. */
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import { allScopes } from '../../contract/scopes.ts'
import { findApiKey } from '../../db/workspaces/api-keys.ts'
import { instantMs } from '../input/instant.ts'
import { shapeError } from '../input/shape-error.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { withinLimit } from '../input/within-limit.ts'
import { mustBeLine } from '../input/validate-words.ts'
import { makeApiKey } from './make-api-key.ts'
import { presentApiKey } from './present-api-key.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`, also at the limit per workspace. */
export const createApiKey: Verb<'createApiKey'> = (ctx, { body }) => {
  const name = mustBeLine(body.name, { path: 'name', max: settingLimits.keyNameMax })
  const scopes = allScopes.filter((scope) => body.scopes.includes(scope))
  const expiresAt = body.expires_at ?? null
  if (expiresAt !== null && instantMs(expiresAt) === null)
    throw shapeError([{ path: 'expires_at', rule: 'date-time' }], 'date_time')
  return ctx.db.transaction(async (tx) => {
    const { id, prefix, key } = await withinLimit(tx, ctx.workspaceId, 'apiKeys', () =>
      makeApiKey(
        { db: tx, makeId: ctx.makeId },
        { workspaceId: ctx.workspaceId, name, scopes, expiresAt },
      ),
    )
    const row = await findApiKey(tx, ctx.workspaceId, id)
    if (!row) throw new Error('A key that was just made is gone')
    // A key that has expired already is a mistake.
    if (row.isExpired) throw shapeError([{ path: 'expires_at', rule: 'in_the_past' }])
    await recordAuditEntry(tx, ctx, {
      act: 'key.created',
      subject: name,
      details: { prefix, scopes: scopes.join(', ') },
    })
    return { body: { ...presentApiKey(row), key } }
  })
}
