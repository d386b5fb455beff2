/**
 * Our API in the process of the test, for scenarios that neither kill nor freeze it: a process of
 * its own costs a second.
 */
import { systemClock } from '../../src/ground/clock.ts'
import { readConfig } from '../../src/ground/config.ts'
import { serveApi } from '../../src/entrypoints/api/serve.ts'
import { createLog } from '../../src/ground/log.ts'
import { openCells } from '../../src/main/open-cells.ts'
import { openContext } from '../../src/main/open-context.ts'
import { settingsOf, type ServiceOptions } from './fault-process.ts'

/** Resolves when it listens; answers its end. */
export async function serveHere(
  options: Omit<ServiceOptions, 'role'>,
): Promise<() => Promise<void>> {
  const config = readConfig(settingsOf(options))
  const log = createLog({
    level: 'warn',
    clock: systemClock,
    readable: false,
    write: () => undefined,
  })
  const context = await openContext(config, log, options.databaseUrl)
  const { cells, close } = await openCells(context)
  const end = async (): Promise<void> => {
    await close()
    for (const service of cells.open()) service.stop()
    await context.close()
  }
  const served = await serveApi(cells.home, {
    host: '127.0.0.1',
    port: options.port,
    trustProxy: false,
  }).catch(async (error: unknown) => {
    // An open connection keeps the test file from its end.
    await end()
    throw error
  })
  return async () => {
    await served.close()
    await context.providers.close(0)
    await end()
  }
}
