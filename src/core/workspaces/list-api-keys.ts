/** GET /keys: all API keys of the workspace, newest first. */
import { apiKeysOf } from '../../db/workspaces/api-keys.ts'
import { presentApiKey } from './present-api-key.ts'
import type { Verb } from '../verb.ts'

export const listApiKeys: Verb<'listApiKeys'> = async (ctx) => {
  const rows = await apiKeysOf(ctx.db, ctx.workspaceId)
  return {
    body: {
      object: 'list',
      data: rows.toReversed().map(presentApiKey),
      has_more: false,
      next_cursor: '',
    },
  }
}
