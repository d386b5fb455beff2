/**
 * Connects a running service with the moves of its installation: its workers, its connections, its
 * embedded database.
 */
import type { Config } from '../ground/config.ts'
import { followMoves, type MoveFollower } from './follow-move.ts'
import type { Databases } from '../core/databases.ts'
import type { Service } from '../core/context.ts'
import type { Intake } from '../core/intake.ts'
import { pingDatabase } from '../database/client/ping-database.ts'
import { startEmbedded } from '../database/embedded/embedded-postgres.ts'
import { findAnyLocation, findLocation } from '../database/embedded/postgres-location.ts'
import { startWorkersInCells } from '../entrypoints/workers/start-in-cells.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { afterMove, openSealedTarget, writeMove, type MoveTarget } from './move-file.ts'
import type { OpenContext } from './open-context.ts'
import type { OpenDatabase } from './open-database.ts'
import type { ProcessRole } from './roles.ts'
import type { Running } from './stop-service.ts'

/**
 * Hand-offs that take longer write their outcome to the target: their leases move with the rows.
 */
const pauseMs = 10_000

export function openFollower(
  {
    ctx,
    cells,
    running,
    intake,
  }: {
    ctx: OpenContext
    cells: Databases<Service>
    running: Running & { database: OpenDatabase }
    intake: Intake
  },
  begunWith: Config,
  roles: readonly ProcessRole[],
): MoveFollower {
  const former: OpenDatabase[] = []
  let config = begunWith
  /** Open, but not in use yet: a second attempt to follow must not open it again. */
  let next = null as { database: OpenDatabase; target: MoveTarget } | null
  return followMoves(ctx, {
    intake,
    connectionString: running.database.connectionString,
    async pause() {
      const { workers } = running
      ctx.hints.local = null
      await workers?.stop(pauseMs)
    },
    resume() {
      if (!roles.includes('worker')) return
      const workers = (running.workers = startWorkersInCells(cells))
      ctx.hints.local = workers.wake
    },
    pauseStatements: ctx.pauseStatements,
    release: ctx.release,
    moveTo(connectionString) {
      ctx.moveTo(connectionString)
      if (next === null) return
      const { database, target } = next
      next = null
      former.push(running.database)
      running.database = database
      const folder =
        'folder' in target
          ? (findAnyLocation(target.folder)?.home ?? target.folder)
          : config.dataFolder
      running.disk?.watchFolder(folder)
      try {
        writeMove(config, target)
      } catch (error) {
        ctx.log.error(
          { err: error, folder: config.dataFolder },
          'moved.json could not be written: the next start needs it',
        )
      }
      config = afterMove(config, target)
    },
    reach: (sealed) => reach(openSealedTarget(ctx.secrets, sealed)),
    async open(sealed) {
      if (next === null) {
        const target = openSealedTarget(ctx.secrets, sealed)
        next = { target, database: await open(target) }
      }
      return next.database
    },
    async closeFormer() {
      if (next) former.push(next.database)
      next = null
      for (const database of former.splice(0)) await database.stop(60_000)
    },
  })
}

async function reach(target: MoveTarget): Promise<void> {
  if ('url' in target) return pingDatabase(target.url)
  if (findLocation(target.folder) === null)
    throw new OperatorError(`There is no database in ${target.folder} here`)
}

async function open(target: MoveTarget): Promise<OpenDatabase> {
  if ('folder' in target) return startEmbedded({ folder: target.folder })
  return { connectionString: target.url, stop: () => Promise.resolve(true) }
}
