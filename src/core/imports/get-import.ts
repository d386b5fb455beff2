/** GET /imports/{id}: a file's first lines, the progress of its import, and the result. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { presentImport } from './present-import.ts'

export async function getImport(ctx: CallContext, { params }: InputOf<'getImport'>): Promise<AnswerOf<'getImport'>> {
  const body = await presentImport(ctx, ctx.workspaceId, params.id)
  if (!body) throw new ApiError('not_found', { id: params.id })
  return { body }
}
