/** GET /imports/{id}: a file's first lines, the progress of its import, and the result. */
import { presentImport } from './present-import.ts'
import type { Verb } from '../../verb.ts'

export const getImport: Verb<'getImport'> = async (ctx, { params }) => {
  return { body: await presentImport(ctx, { workspaceId: ctx.workspaceId, id: params.id }) }
}
