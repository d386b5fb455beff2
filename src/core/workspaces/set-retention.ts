/**
 * Sets how long data is stored, of the installation or of one workspace, and counts what a shorter
 * limit deletes.
 */
import type { RetentionClassName } from '../../contract/retention.ts'
import { countExpiring } from '../../db/retention/count-expiring.ts'
import {
  installationRetention,
  setInstallationRetention,
  setWorkspaceRetention,
  workspaceRetention,
} from '../../db/retention/retention-limits.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import type { Database } from '../../database/client/database.ts'
import type { Context } from '../context.ts'
import { eachWorkspace } from '../each-workspace.ts'
import { shapeError } from '../input/shape-error.ts'

/** A larger number says no more to somebody who decides. */
const countMax = 1_000_000

export interface Limit {
  name: RetentionClassName
  /** Null means of a workspace, the limit of the installation; of the installation, for ever. */
  days: number | null
}

/** Throws `validation_error` for a limit that is longer than the installation's. */
export async function setRetentionOfWorkspace(
  ctx: Pick<Context, 'db'> & Actor,
  changes: Limit[],
): Promise<void> {
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
        details: {
          days: inWords(days ?? installationDays),
          before: inWords(ownDays ?? installationDays),
        },
      })
    }
  })
}

/**
 * A context of each database, the first one first. Every workspace's audit log names it, since its
 * data is deleted too.
 */
export async function setRetentionOfInstallation(
  [home, ...others]: readonly Pick<Context, 'databaseId' | 'db' | 'makeId'>[],
  { name, days }: Limit,
): Promise<void> {
  const details = await home?.db.transaction(async (tx) => {
    const before = (await installationRetention(tx))[name].days
    if (before === days) return undefined
    await setInstallationRetention(tx, name, days)
    const sentences = { days: inWords(days), before: inWords(before) }
    await recordChange(home, tx, { name, details: sentences })
    return sentences
  })
  if (details)
    for (const ctx of others)
      await ctx.db.transaction((tx) => recordChange(ctx, tx, { name, details }))
}

/** In the audit logs of a database's workspaces. */
async function recordChange(
  ctx: Pick<Context, 'databaseId' | 'makeId'>,
  tx: Database,
  { name, details }: { name: RetentionClassName; details: Record<string, number | string> },
): Promise<void> {
  for await (const page of eachWorkspace({ db: tx, databaseId: ctx.databaseId }))
    for (const { id: workspaceId } of page)
      await recordAuditEntry(
        tx,
        { ...ctx, workspaceId },
        { act: 'retention.changed', subject: name, details },
      )
}

const inWords = (days: number | null): number | string => days ?? 'forever'

/** Counts what a limit would delete now. A null `workspaceId` means in every workspace. */
export async function countDeleted(
  databases: readonly Pick<Context, 'db'>[],
  { workspaceId, name, days }: Limit & { workspaceId: number | null },
): Promise<{ rows: number; isMore: boolean }> {
  if (days === null) return { rows: 0, isMore: false }
  let rows = 0
  for (const { db } of databases) {
    const limits =
      workspaceId === null
        ? await installationRetention(db)
        : await workspaceRetention(db, workspaceId)
    const expiredBefore = limits[name].before
    rows += await countExpiring(db, { workspaceId, name, days, expiredBefore, max: countMax + 1 })
  }
  return { rows: Math.min(rows, countMax), isMore: rows > countMax }
}
