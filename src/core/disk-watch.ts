/**
 * Watches the disk under the embedded database: intake stops before PostgreSQL must, so that
 * accepted mail is still sent.
 */
import { statfs } from 'node:fs/promises'
import { ApiError } from '../contract/errors.ts'
import type { Clock } from '../ground/clock.ts'
import type { Log } from '../ground/log.ts'
import type { Intake } from './intake.ts'

export interface DiskWatch {
  /** Free bytes at the last check; null when unknown, or when the disk is not ours to watch. */
  freeBytes(): number | null
  /** Of them, those that may be used before intake stops; null as above. */
  roomBytes(): number | null
  /** From now on it watches the disk of another folder. */
  watchFolder(folder: string): void
  stop(): void
}

/** Returns the bytes that may still be written at a path. */
export type FreeBytes = (path: string) => Promise<number>

const systemFreeBytes: FreeBytes = async (path) => {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** The required free space must hold one second of intake at full speed. */
const pollEveryMs = 1_000
const retryAfterSeconds = 30

/**
 * Lets nothing in while the disk is too full for new data. `diskFreeMin` is in bytes; 0 disables
 * the watch. The first check is over when it returns.
 */
export async function watchDisk(
  ctx: { clock: Clock; log: Log },
  {
    folder: first,
    diskFreeMin,
    intake,
    freeBytes = systemFreeBytes,
  }: { folder: string; diskFreeMin: number; intake: Intake; freeBytes?: FreeBytes },
): Promise<DiskWatch> {
  const stopping = new AbortController()
  let folder = first
  let free: number | null = null

  const refusal = (): ApiError =>
    new ApiError(
      'internal_error',
      { reason: 'disk_full', free_bytes: free, needed_bytes: diskFreeMin },
      retryAfterSeconds,
    )
  const poll = async (): Promise<void> => {
    const [before, watched] = [free, folder]
    // If the disk cannot be checked, intake continues: PostgreSQL reports a full disk itself.
    const result = await freeBytes(watched).catch(() => null)
    if (watched !== folder) return
    free = result
    const wasShort = before !== null && before < diskFreeMin
    const isShort = free !== null && free < diskFreeMin
    intake.disk = isShort ? refusal : null
    if (isShort && !wasShort)
      ctx.log.error(
        { free, needed: diskFreeMin, folder },
        'The disk is nearly full: nothing new is accepted',
      )
    if (wasShort && !isShort)
      ctx.log.info({ free, needed: diskFreeMin }, 'The disk has room again: mail is accepted')
  }
  const keepPolling = async (): Promise<void> => {
    for (;;) {
      await ctx.clock.sleep(pollEveryMs, stopping.signal)
      await poll()
    }
  }
  if (diskFreeMin > 0) {
    await poll()
    keepPolling().catch(() => undefined)
  }
  return {
    freeBytes: () => free,
    roomBytes: () => (free === null ? null : free - diskFreeMin),
    watchFolder(next) {
      folder = next
      free = null
      intake.disk = null
    },
    stop() {
      stopping.abort()
      free = null
      intake.disk = null
    },
  }
}
