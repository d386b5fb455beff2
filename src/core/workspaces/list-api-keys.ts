/** GET /keys: all API keys of the workspace, newest first. */
import type { AnswerOf } from '../../contract/operations.ts'
import { apiKeysOf } from '../../db/workspaces/api-keys.ts'
import type { CallContext } from '../context.ts'
import { presentApiKey } from './present-api-key.ts'

export async function listApiKeys(ctx: Pick<CallContext, 'db' | 'workspaceId'>): Promise<AnswerOf<'listApiKeys'>> {
  const rows = await apiKeysOf(ctx.db, ctx.workspaceId)
  return { body: { object: 'list', data: rows.toReversed().map(presentApiKey), has_more: false, next_cursor: '' } }
}
