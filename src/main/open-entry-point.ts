/**
 * Opens the listening part of this process: the API with its pages and its health, or health alone
 * where there is no API.
 */
import type { Config } from '../ground/config.ts'
import type { Served } from '../entrypoints/api/serve.ts'
import { explainingPort } from './explaining-port.ts'
import type { EntryPointParts } from './open-api.ts'
import type { ProcessRole } from './roles.ts'

/** Null if this process does not listen. */
export async function openEntryPoint(
  parts: EntryPointParts,
  config: Config,
  roles: readonly ProcessRole[],
): Promise<Served | null> {
  const { host } = config
  if (roles.includes('api')) {
    const { openApiEntryPoint } = await import('./open-api.ts')
    return explainingPort({ host, port: config.port, setting: 'FACTEUR_PORT' }, () =>
      openApiEntryPoint(parts, config),
    )
  }
  const port = config.healthPort
  if (port === null) return null
  const { metrics, service, stopping, isPaused } = parts
  const { serveHealth } = await import('../entrypoints/health/serve-health.ts')
  return explainingPort({ host, port, setting: 'FACTEUR_HEALTH_PORT' }, () =>
    serveHealth(service, {
      host,
      port,
      metrics,
      operatorToken: config.operatorToken,
      stopping,
      isPaused,
    }),
  )
}
