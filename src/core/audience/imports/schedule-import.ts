/** Schedules a worker to check the lines of a file, or to store them. */
import { ApiError, existing } from '../../../contract/errors.ts'
import type { ImportDetail, ImportPlan } from '../../../contract/workspace/imports.ts'
import type { Database } from '../../../database/client/database.ts'
import { fileById, scheduleFile } from '../../../db/audience/subscriber-files.ts'
import type { CallContext } from '../../context.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { readPlan } from './read-import-plan.ts'
import { presentImport } from './present-import.ts'

/** Returns the import's new state; a worker takes it at once. */
export async function scheduleImport(
  ctx: CallContext,
  {
    id,
    plan: chosen,
    state,
    inSameTransaction,
  }: {
    id: string
    plan: ImportPlan
    state: 'trying' | 'importing'
    inSameTransaction?: (tx: Database) => Promise<void>
  },
): Promise<ImportDetail> {
  const file = existing(await fileById(ctx.db, ctx.workspaceId, id), { id })
  if (!file.hasPieces) throw new ApiError('conflict', { reason: 'file_gone', status: file.state })
  const plan = await readPlan(ctx, chosen)
  await ctx.db.transaction(async (tx) => {
    if (!(await scheduleFile(tx, ctx.workspaceId, { ...plan, id, state })))
      throw new ApiError('conflict', { reason: 'running', status: file.state })
    if (state === 'importing')
      await recordAuditEntry(tx, ctx, {
        act: 'subscribers.imported',
        subject: file.name,
        details: { id },
      })
    await inSameTransaction?.(tx)
  })
  ctx.wake('import')
  return presentImport(ctx, { workspaceId: ctx.workspaceId, id })
}
