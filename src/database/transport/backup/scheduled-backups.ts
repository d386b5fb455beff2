/** Makes a backup when it is time, in one process of many, and keeps the newest ones. */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { repeatEvery, type Clock } from '../../../ground/clock.ts'
import {
  recordBackup,
  recordBackupFailure,
  renewBackupTurn,
  takeBackupTurn,
} from './backup-state.ts'
import type { Connection } from '../../client/connect.ts'
import type { Log } from '../../../ground/log.ts'
import { backUpToFolder } from './back-up-to-folder.ts'
import { backupsIn } from './backups-in.ts'

export interface BackupPlan {
  /** Absolute. */
  folder: string
  everySeconds: number
  /** How many stay. */
  keep: number
  /** Of the database as it is now. */
  connectionString: () => string
  key: Buffer | null
}

/** How often a process looks whether one is due. */
const pollEveryMs = 15_000
/** A failure, or a process that was lost, is followed by another try after this long. */
const retrySeconds = 600

interface Parts {
  db: Connection
  clock: Clock
  log: Log
}

/** `stop` gives up a backup that is being made, and leaves nothing of it. */
export function startScheduledBackups(ctx: Parts, plan: BackupPlan): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const ended = repeatEvery(
    ctx.clock,
    { everyMs: Math.min(pollEveryMs, plan.everySeconds * 1_000), stopping: stopping.signal },
    () =>
      backUpWhenDue(ctx, { plan, signal: stopping.signal }).catch((error: unknown) =>
        ctx.log.error(
          { err: error },
          'The schedule of backups could not be read; the next look tries again',
        ),
      ),
  )
  return {
    stop() {
      stopping.abort(new Error('the service stops'))
      return ended
    },
  }
}

async function backUpWhenDue(
  ctx: Parts,
  { plan, signal }: { plan: BackupPlan; signal: AbortSignal },
): Promise<void> {
  const { everySeconds, folder, key } = plan
  const turnSeconds = Math.min(everySeconds, retrySeconds)
  if (!(await takeBackupTurn(ctx.db, { everySeconds, retrySeconds: turnSeconds }))) return
  const began = ctx.clock.monotonicMs()
  let renewedAt = began
  const onProgress = (): void => {
    if (ctx.clock.monotonicMs() - renewedAt < (turnSeconds * 1_000) / 4) return
    renewedAt = ctx.clock.monotonicMs()
    void renewBackupTurn(ctx.db).catch(() => undefined)
  }
  try {
    const { manifest, bytes, rows, path } = await backUpToFolder({
      connectionString: plan.connectionString(),
      folder,
      key,
      isScheduled: true,
      signal,
      onProgress,
    })
    const seconds = (ctx.clock.monotonicMs() - began) / 1_000
    await recordBackup(ctx.db, { takenAt: manifest.takenAt, name: manifest.name, bytes, seconds })
    ctx.log.info({ place: path, bytes, rows, seconds }, 'A backup was made')
    await removeOldBackups(ctx, plan, manifest.keyFingerprint)
  } catch (error) {
    if (signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    await recordBackupFailure(ctx.db, reason)
    ctx.log.error(
      { err: error, folder },
      'The scheduled backup failed; it is tried again within ten minutes',
    )
  }
}

/**
 * The newest `keep` that the schedule made stay. Those that were made by hand stay, and those of
 * other installations. A failure leaves more than enough, and is no failed backup: the next one
 * tries again.
 */
async function removeOldBackups(
  ctx: Parts,
  { folder, keep }: BackupPlan,
  keyFingerprint: string,
): Promise<void> {
  try {
    let result = 0
    for await (const { name, isScheduled } of backupsIn(folder, keyFingerprint))
      if (isScheduled && ++result > keep) await removeBackup(join(folder, name))
  } catch (error) {
    ctx.log.error(
      { err: error, folder },
      'Old backups could not be removed; the next backup tries again',
    )
  }
}

/**
 * Under the name of an unfinished one first: a rest of it is no backup, and is removed a day later.
 */
async function removeBackup(path: string): Promise<void> {
  const rest = `${path}.unfinished`
  await rename(path, rest)
  await rm(rest, { recursive: true, force: true })
}
