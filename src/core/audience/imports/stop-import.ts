/** POST /imports/{id}/stop: ends the run after the current lines. */
import { ApiError } from '../../../contract/errors.ts'
import { stopFile } from '../../../db/audience/subscriber-files.ts'
import { presentImport } from './present-import.ts'
import type { Verb } from '../../verb.ts'

export const stopImport: Verb<'stopImport'> = async (ctx, { params }) => {
  const stopped = await stopFile(ctx.db, ctx.workspaceId, params.id)
  const body = await presentImport(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  if (!stopped) throw new ApiError('conflict', { reason: 'not_running', status: body.state })
  return { body }
}
