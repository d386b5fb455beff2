/** POST /imports/{id}/stop: ends the run after the current lines. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { stopFile } from '../../db/subscribers/subscriber-files.ts'
import type { CallContext } from '../context.ts'
import { presentImport } from './present-import.ts'

export async function stopImport(ctx: CallContext, { params }: InputOf<'stopImport'>): Promise<AnswerOf<'stopImport'>> {
  const stopped = await stopFile(ctx.db, ctx.workspaceId, params.id)
  const body = await presentImport(ctx, ctx.workspaceId, params.id)
  if (!body) throw new ApiError('not_found', { id: params.id })
  if (!stopped) throw new ApiError('conflict', { reason: 'not_running', status: body.state })
  return { body }
}
