/** Our API in the process of the test, for scenarios that neither kill nor freeze it: a process of its own costs a second. */
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createService } from '../../src/main/create-service.ts'
import { serveApi } from '../../src/entrypoints/api/serve.ts'
import { createLog } from '../../src/log.ts'
import { openContext } from '../../src/main/open-context.ts'
import { settingsOf, type ServiceOptions } from './fault-process.ts'

/** Resolves when it listens; answers its end. */
export async function serveHere(options: Omit<ServiceOptions, 'role'>): Promise<() => Promise<void>> {
  const config = readConfig(settingsOf(options))
  const log = createLog({ level: 'warn', clock: systemClock, readable: false, write: () => undefined })
  const context = await openContext(config, log, options.databaseUrl)
  const service = createService(context)
  const served = await serveApi(service, { host: '127.0.0.1', port: options.port, trustProxy: false }).catch(
    async (error: unknown) => {
      // An open connection keeps the test file from its end.
      service.stop()
      await context.close()
      throw error
    },
  )
  return async () => {
    await served.close()
    await context.providers.close(0)
    service.stop()
    await context.close()
  }
}
