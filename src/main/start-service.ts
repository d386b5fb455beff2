/**
 * `facteur start`: starts everything in this order, and stops it in the reverse order.
 *
 * 1. The database: started, its master key checked, migrated (settings that are wrong by themselves
 *    were refused before).
 * 2. The context and the service.
 * 3. The workers, then the API with its pages and health.
 * 4. At the very first start a workspace to try, and the lines that say so; until there is an
 *    account, the link that creates one.
 *
 * Asked to stop, a process with the role api first answers calls for a while, so that a load
 * balancer notices by /readyz.
 */
import { flushCompileCache } from 'node:module'
import { systemClock } from '../ground/clock.ts'
import type { Config } from '../ground/config.ts'
import { startScheduledBackups } from '../database/transport/backup/scheduled-backups.ts'
import { startPostmaster } from '../core/postmaster/schedule-postmaster.ts'
import { type Databases } from '../core/databases.ts'
import { inEachDatabase } from '../core/each-workspace.ts'
import type { Service } from '../core/context.ts'
import { readMasterKey } from '../ground/secrets.ts'
import { prepareSetUp } from '../core/workspaces/prepare-set-up.ts'
import { prepareDemo } from '../core/workspaces/prepare-demo.ts'
import { openIntake } from '../core/intake.ts'
import { watchDisk } from '../core/disk-watch.ts'
import { watchHorizon } from '../core/horizon-watch.ts'
import { findAnyLocation, isInData } from '../database/embedded/postgres-location.ts'
import { createMetrics } from '../entrypoints/health/metrics.ts'
import { serveStarting, type StartingPort } from '../entrypoints/health/serve-starting.ts'
import { startWorkersInCells } from '../entrypoints/workers/start-in-cells.ts'
import type { Log } from '../ground/log.ts'
import { withheldByWorkspace, restoredState } from '../db/restore/withheld-counts.ts'
import { openCells } from './open-cells.ts'
import { openContext, type OpenContext } from './open-context.ts'
import { openDatabase } from './open-database.ts'
import { languageOfNew } from './service-settings.ts'
import { openEntryPoint } from './open-entry-point.ts'
import { openFollower } from './open-follower.ts'
import { openInbound } from './open-inbound.ts'
import { readPostmasterAccount } from './open-postmaster.ts'
import { openSubmission } from './open-submission.ts'
import { openTracing } from './open-tracing.ts'
import { firstStartLines, printProgress, readyLine, setUpLines, submissionLine } from './print.ts'
import type { ProcessRole } from './roles.ts'
import { listenForStopSignals } from './stop-signal.ts'
import { stopService, type Running } from './stop-service.ts'
import { watchDescriptors } from './watch-descriptors.ts'

/**
 * Runs until it is asked to stop; answers the exit code. Throws when it cannot start, with
 * everything stopped again.
 */
export async function startService(
  config: Config,
  log: Log,
  roles: readonly ProcessRole[],
): Promise<number> {
  const running: Running = {}
  const stopping = new AbortController()
  const withinMs = config.stopSeconds * 1_000
  let exitCode = 0
  let requestedAtMs = Infinity
  let isReady = false
  const stop = listenForStopSignals(systemClock, () => {
    void running.database?.stop(0)
    process.exit(130)
  })
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'An error was not caught; the service stops')
    exitCode = 1
    stop.ask('an error that nothing caught')
  })
  try {
    // A signal ends the start at its next step. A step that hangs is abandoned after half of the
    // time to stop.
    const requested = stop.first.then((why) => {
      requestedAtMs = systemClock.monotonicMs()
      stopping.abort(new Error(why))
    })
    const starting = start(config, log, roles, { running, signal: stopping.signal })
    await Promise.race([
      starting.then(() => (isReady = true)),
      requested.then(() => systemClock.sleep(withinMs / 2)),
    ])
    log.info({ why: await stop.first }, 'stopping')
    // After an uncaught error nothing is sure, so that no further call is taken.
    if (isReady && exitCode === 0 && roles.includes('api')) {
      await systemClock.sleep(config.drainSeconds * 1_000)
      requestedAtMs = systemClock.monotonicMs()
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error
    log.info({ why: await stop.first }, 'stopping before the start was over')
  } finally {
    const usedMs = Math.max(0, systemClock.monotonicMs() - requestedAtMs)
    await stopService(running, {
      withinMs: Math.max(0, withinMs - usedMs),
      clock: systemClock,
      log,
    })
  }
  log.info({}, 'stopped')
  return exitCode
}

/** Once at each start, until the operator has decided. */
async function warnOfWithheldMail(
  { db, log }: Pick<OpenContext, 'db' | 'log'>,
  cells: Databases<Service>,
): Promise<void> {
  const restored = await restoredState(db)
  const withheld =
    restored === null
      ? []
      : (await inEachDatabase(cells, (each) => withheldByWorkspace(each.db))).flat()
  if (restored === null || withheld.length === 0) return
  const { copyShownBy } = restored
  log.warn(
    { workspaces: withheld.map(({ slug }) => slug), ...(copyShownBy !== null && { copyShownBy }) },
    copyShownBy === null
      ? 'Mail is held after a restore; see facteur restore review'
      : 'This database is a copy of another one, so what was pending in it is held: facteur restore review shows it, facteur restore release --all lets it go on',
  )
}

function scheduleBackups(
  ctx: OpenContext,
  config: Config,
  connectionString: () => string,
): Running['backups'] | null {
  const { backupFolder: folder, backupEverySeconds: everySeconds, backupKeep: keep } = config
  const key = config.masterKey ?? readMasterKey(config.dataFolder)
  if (folder !== null && config.databaseUrl === null && isInData(folder, config.dataFolder))
    ctx.log.warn(
      { folder },
      'FACTEUR_BACKUP_DIR lies in the data folder, so backups are lost with it: name another disk',
    )
  return folder === null
    ? null
    : startScheduledBackups(ctx, { folder, everySeconds, keep, connectionString, key })
}

async function start(
  config: Config,
  log: Log,
  roles: readonly ProcessRole[],
  { running, signal }: { running: Running; signal: AbortSignal },
): Promise<void> {
  const progress = printProgress()
  const starting = await openStartingPort(config, roles)
  try {
    running.descriptors = watchDescriptors({ clock: systemClock, log })
    const opened = (running.database = await openDatabase(config, {
      progress(text) {
        progress.say(text)
        starting?.show(text)
      },
      announce: (text) => log.info({}, text),
      signal,
    }))
    signal.throwIfAborted()
    const ctx = (running.context = await openContext(config, log, opened.connectionString))
    signal.throwIfAborted()
    const intake = openIntake()
    // An external database's disk is not visible from here.
    const folder =
      (config.databaseUrl === null ? findAnyLocation(config.dataFolder)?.home : null) ??
      config.dataFolder
    const disk = (running.disk = await watchDisk(ctx, {
      folder,
      diskFreeMin: ctx.settings.diskFreeMin,
      intake,
    }))
    const metrics = createMetrics(ctx, disk, config)
    const tracing = await openTracing(config.ownTraces ?? config.collectorTraces, log)
    if (tracing) running.tracing = tracing
    Object.assign(ctx, {
      roomBytes: disk.roomBytes,
      counts: metrics.counts,
      ...(tracing && { tracer: tracing.tracer }),
    })
    const { cells } = (running.cells = await openCells(ctx, {
      onOpen(service) {
        metrics.watch(service)
        running.workers?.add(service)
      },
    }))
    metrics.watch(cells.home)
    await warnOfWithheldMail(ctx, cells)
    const service = cells.home
    if (roles.includes('worker')) {
      const workers = (running.workers = startWorkersInCells(cells))
      ctx.hints.local = workers.wake
      running.horizon = watchHorizon(ctx)
      const backups = scheduleBackups(
        ctx,
        config,
        () => (running.database ?? opened).connectionString,
      )
      if (backups) running.backups = backups
      const account = readPostmasterAccount(config)
      if (account) running.postmaster = startPostmaster(ctx, account)
    }
    const moves = (running.moves = openFollower(
      { ctx, cells, running: Object.assign(running, { database: opened }), intake },
      config,
      roles,
    ))
    await starting?.close()
    const entryPoint = await openEntryPoint(
      {
        service,
        metrics,
        intake,
        stopping: signal,
        isPaused: moves.isPaused,
      },
      config,
      roles,
    )
    if (entryPoint) running.entryPoint = entryPoint
    signal.throwIfAborted()
    const inbound = roles.includes('inbound')
      ? await openInbound({ service, metrics }, config)
      : null
    if (inbound) running.inbound = inbound
    const submission = roles.includes('submission')
      ? await openSubmission({ service, metrics, intake }, config)
      : null
    if (submission) running.submission = submission
    signal.throwIfAborted()
    // Only once the address is bound: a failed start must not create a key that it never printed.
    const demo = roles.includes('api') ? await prepareDemo(service) : null
    const setUp = roles.includes('api') ? await prepareSetUp(ctx) : null
    progress.done()
    process.stdout.write(readyLine(roles, entryPoint?.address ?? null) + submissionLine(submission))
    if (demo)
      process.stdout.write(
        firstStartLines(config.baseUrl, demo, {
          provider: config.provider,
          ...languageOfNew(config),
        }),
      )
    if (setUp) process.stdout.write(setUpLines(setUp.url))
    log.info(
      {
        roles,
        address: entryPoint?.address,
        inbound: inbound?.port,
        submission: submission?.port,
        provider: ctx.providers.deployment.name,
      },
      'ready',
    )
    // Node.js stores its compile cache at exit. A killed process would lose it, and the next start
    // would be slower.
    flushCompileCache()
  } finally {
    progress.done()
    await starting?.close()
  }
}

/**
 * Of an external database several processes may run, and a balancer passes calls on at once where a
 * port is closed.
 */
async function openStartingPort(
  config: Config,
  roles: readonly ProcessRole[],
): Promise<StartingPort | null> {
  const { host, port, databaseUrl } = config
  return roles.includes('api') && databaseUrl === null
    ? serveStarting({ host, port, language: languageOfNew(config).language })
    : null
}
