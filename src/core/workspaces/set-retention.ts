/** Sets how long data is stored, of the installation or of one workspace, and counts what a shorter limit deletes. */
import type { RetentionClassName } from '../../contract/retention.ts'
import { countExpiring } from '../../db/retention/count-expiring.ts'
import {
  installationRetention,
  setInstallationRetention,
  setWorkspaceRetention,
  workspaceRetention,
} from '../../db/retention/retention-limits.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import type { Context } from '../context.ts'
import { eachWorkspace } from '../each-workspace.ts'
import { shapeError } from '../input/shape-error.ts'

/** A larger number says no more to somebody who decides. */
const countMax = 1_000_000

export interface Limit {
  name: RetentionClassName
  /** Null: of a workspace, the limit of the installation; of the installation, for ever. */
  days: number | null
}

/** Throws `validation_error` for a limit that is longer than the installation's. */
export async function setRetentionOfWorkspace(ctx: Pick<Context, 'db'> & Actor, changes: Limit[]): Promise<void> {
  const { workspaceId } = ctx
  await ctx.db.transaction(async (tx) => {
    const limits = await workspaceRetention(tx, workspaceId)
    for (const { name, days } of changes) {
      const { installationDays, ownDays } = limits[name]
      if (days !== null && installationDays !== null && days > installationDays)
        throw shapeError([{ path: name, rule: 'retention', limit: installationDays, found: days }])
      if (days === ownDays) continue
      await setWorkspaceRetention(tx, workspaceId, name, days)
      await recordAuditEntry(tx, ctx, {
        act: 'retention.changed',
        subject: name,
        details: { days: inWords(days ?? installationDays), before: inWords(ownDays ?? installationDays) },
      })
    }
  })
}

/** Every workspace's audit log names it, since its data is deleted too. */
export async function setRetentionOfInstallation(ctx: Pick<Context, 'db' | 'makeId'>, { name, days }: Limit): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = (await installationRetention(tx))[name].days
    if (before === days) return
    await setInstallationRetention(tx, name, days)
    const details = { days: inWords(days), before: inWords(before) }
    for await (const page of eachWorkspace({ db: tx }))
      for (const { id: workspaceId } of page)
        await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'retention.changed', subject: name, details })
  })
}

const inWords = (days: number | null): number | string => days ?? 'forever'

/** Counts what a limit would delete now. `workspaceId` null: in every workspace. */
export async function countDeleted(
  ctx: Pick<Context, 'db'>,
  { workspaceId, name, days }: Limit & { workspaceId: number | null },
): Promise<{ rows: number; isMore: boolean }> {
  if (days === null) return { rows: 0, isMore: false }
  const limits = workspaceId === null ? await installationRetention(ctx.db) : await workspaceRetention(ctx.db, workspaceId)
  const expiredBefore = limits[name].before
  const rows = await countExpiring(ctx.db, { workspaceId, name, days, expiredBefore, max: countMax + 1 })
  return { rows: Math.min(rows, countMax), isMore: rows > countMax }
}
