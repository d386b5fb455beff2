/**
 * `facteur start`: builds everything in this order, and stops it in the reverse order.
 *
 * 1. the database: started, migrated, its master key checked
 * 2. the context and the service
 * 3. the workers, then the API with its pages and health
 * 4. at the very first start a workspace to try with, and the lines that say so; until there is an account, the link that makes one
 */
import { flushCompileCache } from 'node:module'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createService } from '../core/create-service.ts'
import { prepareSetUp } from '../core/people/prepare-set-up.ts'
import { prepareDemo } from '../core/workspaces/prepare-demo.ts'
import { watchDisk } from '../core/disk-watch.ts'
import { watchHolds } from '../core/hold-watch.ts'
import { findPlace } from '../db/postgres-place.ts'
import { createMetrics } from '../entrypoints/health/metrics.ts'
import { startWorkers } from '../entrypoints/workers/start-workers.ts'
import type { Log } from '../log.ts'
import { openContext } from './open-context.ts'
import { openDatabase } from './open-database.ts'
import { readFormerAccount, readProviderSettings } from './open-providers.ts'
import { openDoor } from './open-door.ts'
import { openInbound } from './open-inbound.ts'
import { firstStartLines, printProgress, readyLine, setUpLines } from './print.ts'
import type { Role } from './roles.ts'
import { hearStopSignals } from './stop-signal.ts'
import { stopService } from './stop-service.ts'
import type { Running } from './stop-service.ts'

/** Runs until it is told to stop; answers the exit code. Throws when it cannot start, with everything stopped again. */
export async function startService(config: Config, log: Log, roles: readonly Role[]): Promise<number> {
  readProviderSettings(config)
  readFormerAccount(config)
  const running: Running = {}
  let exitCode = 0
  const stop = hearStopSignals(systemClock, () => {
    void running.database?.stop(0)
    process.exit(130)
  })
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'Nothing caught this error; stopping')
    exitCode = 1
    stop.ask('an error that nothing caught')
  })
  try {
    // A wish to stop during the start waits for the start to end, so that there is something whole to undo.
    await start(config, log, roles, running)
    log.info({ why: await stop.first }, 'stopping')
  } finally {
    await stopService(running, { withinMs: config.stopSeconds * 1_000, clock: systemClock, log })
  }
  log.info({}, 'stopped')
  return exitCode
}

async function start(config: Config, log: Log, roles: readonly Role[], running: Running): Promise<void> {
  const progress = printProgress()
  try {
    running.database = await openDatabase(config, progress.say)
    const ctx = (running.context = await openContext(config, log, running.database.connectionString))
    // The disk of an external database is not seen from here.
    const folder = (config.databaseUrl === null ? findPlace(config.dataFolder)?.home : null) ?? config.dataFolder
    const disk = (running.disk = await watchDisk(ctx, { folder, diskFreeMin: ctx.settings.diskFreeMin }))
    const metrics = createMetrics(ctx, disk)
    const service = (running.service = metrics.countHandOffs(createService(ctx)))
    if (roles.includes('worker')) {
      const workers = (running.workers = startWorkers(service))
      ctx.onWake = (lane) => workers.wake(lane)
      running.holds = watchHolds(ctx)
    }
    const door = await openDoor({ service, metrics, disk }, config, roles)
    if (door) running.door = door
    const inbound = roles.includes('inbound') ? await openInbound({ service, metrics }, config) : null
    if (inbound) running.inbound = inbound
    // Only once the address is ours: a start that fails must not make a key that nobody was shown.
    const demo = roles.includes('api') ? await prepareDemo(ctx) : null
    const setUpUrl = roles.includes('api') ? await prepareSetUp(ctx) : null
    progress.done()
    process.stdout.write(readyLine(roles, door?.address ?? null))
    if (demo) process.stdout.write(firstStartLines(config.baseUrl, demo, config.provider))
    if (setUpUrl !== null) process.stdout.write(setUpLines(setUpUrl))
    log.info({ roles, address: door?.address, inbound: inbound?.port, provider: ctx.providers.deployment.name }, 'ready')
    // Node keeps what it compiled when it ends; who is killed would have it compiled again at the next start, which is to be quick.
    flushCompileCache()
  } finally {
    progress.done()
  }
}
