/** DELETE /keys/{id}: from then on the key is answered as revoked, and never works again. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { findApiKey, revokeApiKey as revoke } from '../../db/api-keys.ts'
import { isId } from '../../ids.ts'
import type { Context } from '../context.ts'
import type { Actor } from '../people/record-act.ts'
import { recordAct } from '../people/record-act.ts'
import { showApiKey } from './show-api-key.ts'

/** Revoking again changes nothing. */
export function revokeApiKey(
  ctx: Pick<Context, 'db'> & Actor,
  { params: { id } }: Pick<InputOf<'revokeApiKey'>, 'params'>,
): Promise<AnswerOf<'revokeApiKey'>> {
  if (!isId(id)) throw new ApiError('not_found')
  return ctx.db.transaction(async (tx) => {
    const isRevoked = await revoke(tx, ctx.workspaceId, id)
    const row = await findApiKey(tx, ctx.workspaceId, id)
    if (!row) throw new ApiError('not_found')
    if (isRevoked) await recordAct(tx, ctx, { act: 'key.revoked', subject: row.name, details: { prefix: row.prefix } })
    return { body: showApiKey(row) }
  })
}
