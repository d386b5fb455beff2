/**
 * `facteur start`: builds everything in this order, and stops it in the reverse order.
 *
 * 1. the database: started, migrated, its master key checked
 * 2. the context and the service; at the very first start a workspace to try with
 * 3. the workers, then the API, then the lines that say so
 */
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createService } from '../core/create-service.ts'
import { prepareDemo } from '../core/workspaces/prepare-demo.ts'
import { serveApi } from '../entrypoints/api/serve.ts'
import { startWorkers } from '../entrypoints/workers/start-workers.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { checkProviderSettings, openContext } from './open-context.ts'
import { openDatabase } from './open-database.ts'
import { openSecrets } from './open-secrets.ts'
import { firstStartLines, printProgress, readyLine } from './print.ts'
import type { Role } from './roles.ts'
import { hearStopSignals } from './stop-signal.ts'
import { stopService } from './stop-service.ts'
import type { Running } from './stop-service.ts'

/** Runs until it is told to stop; answers the exit code. Throws when it cannot start, with everything stopped again. */
export async function startService(config: Config, log: Log, roles: readonly Role[]): Promise<number> {
  checkProviderSettings(config)
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
    const ctx = (running.context = openContext(config, log, running.database.connectionString))
    await openSecrets(config, ctx.db)
    const service = (running.service = createService(ctx))
    const demo = roles.includes('api') ? await prepareDemo(ctx) : null
    if (roles.includes('worker')) {
      const workers = (running.workers = startWorkers(service))
      ctx.onWake = (lane) => workers.wake(lane)
    }
    const api = roles.includes('api') ? (running.api = await listen(service, config)) : null
    progress.done()
    process.stdout.write(readyLine(roles, api?.address ?? null))
    if (demo) process.stdout.write(firstStartLines(config.baseUrl, demo, config.smtpUrl === null))
    log.info({ roles, address: api?.address, provider: ctx.provider.name }, 'ready')
  } finally {
    progress.done()
  }
}

async function listen(service: Parameters<typeof serveApi>[0], config: Config): ReturnType<typeof serveApi> {
  const { host, port, trustProxy } = config
  try {
    return await serveApi(service, { host, port, trustProxy })
  } catch (error) {
    const reason = listenReasons[(error as NodeJS.ErrnoException).code ?? '']
    throw reason === undefined ? error : new OperatorError(`Cannot listen on ${host}:${port}: ${reason}.`)
  }
}

const listenReasons: Record<string, string> = {
  EADDRINUSE: 'another program has this port; stop it, or set FACTEUR_PORT',
  EACCES: 'the system keeps this port for administrators; set FACTEUR_PORT above 1023',
  EADDRNOTAVAIL: 'this machine has no such address; set FACTEUR_HOST',
  ENOTFOUND: 'the name is unknown; set FACTEUR_HOST to an address of this machine',
}
