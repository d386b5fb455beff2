/** Opens what this process listens on: the API with its pages and its health, or health alone where there is no API. */
import type { Config } from '../config.ts'
import type { Service } from '../core/context.ts'
import type { DiskWatch } from '../core/disk-watch.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import { explainingPort } from './explaining-port.ts'
import type { Role } from './roles.ts'

export interface Door {
  /** `http://host:port`, with the port that was bound. */
  address: string
  /** Takes no new calls, lets those under way end. */
  close(): Promise<void>
}

export interface DoorParts {
  service: Service
  metrics: Metrics
  disk: DiskWatch
}

/** Null: this process listens nowhere. */
export async function openDoor(parts: DoorParts, config: Config, roles: readonly Role[]): Promise<Door | null> {
  const { host } = config
  if (roles.includes('api')) {
    const { openApi } = await import('./open-api.ts')
    return explainingPort({ host, port: config.port, setting: 'FACTEUR_PORT' }, () => openApi(parts, config))
  }
  const port = config.healthPort
  if (port === null) return null
  const { metrics, service } = parts
  const { serveHealth } = await import('../entrypoints/health/serve-health.ts')
  return explainingPort({ host, port, setting: 'FACTEUR_HEALTH_PORT' }, () =>
    serveHealth(service, { host, port, metrics, operatorToken: config.operatorToken }),
  )
}
