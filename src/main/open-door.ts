/** Opens what this process listens on: the API with its pages and its health, or health alone where there is no API. */
import type { Config } from '../config.ts'
import type { Service } from '../core/context.ts'
import type { DiskWatch } from '../core/disk-watch.ts'
import { serveApi } from '../entrypoints/api/serve.ts'
import { addHealthRoutes } from '../entrypoints/health/add-health-routes.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import { serveHealth } from '../entrypoints/health/serve-health.ts'
import { addMcpDoor } from '../entrypoints/mcp/add-mcp-door.ts'
import { addSesHook } from '../entrypoints/inbound/amazon-ses/add-ses-hook.ts'
import { addCapturedPages } from '../entrypoints/pages/captured/add-captured-pages.ts'
import { addDocsPages } from '../entrypoints/pages/docs/add-docs-pages.ts'
import { addImageRoute } from '../entrypoints/pages/images/add-image-route.ts'
import { addPublicPages } from '../entrypoints/pages/public/add-public-pages.ts'
import { addTrackingRoutes } from '../entrypoints/pages/tracking/add-tracking-routes.ts'
import { addSessionDoor } from '../entrypoints/workspace/add-session-door.ts'
import { addWorkspacePages } from '../entrypoints/workspace/add-workspace-pages.ts'
import { explainingPort } from './explaining-port.ts'
import type { Role } from './roles.ts'

export interface Door {
  /** `http://host:port`, with the port that was bound. */
  address: string
  /** Takes no new calls, lets those under way end. */
  close(): Promise<void>
}

interface Parts {
  service: Service
  metrics: Metrics
  disk: DiskWatch
}

/** Null: this process listens nowhere. */
export async function openDoor(parts: Parts, config: Config, roles: readonly Role[]): Promise<Door | null> {
  const { host } = config
  if (roles.includes('api'))
    return explainingPort({ host, port: config.port, setting: 'FACTEUR_PORT' }, () => openApi(parts, config))
  const port = config.healthPort
  if (port === null) return null
  const { metrics, service } = parts
  return explainingPort({ host, port, setting: 'FACTEUR_HEALTH_PORT' }, () =>
    serveHealth(service, { host, port, metrics, operatorToken: config.operatorToken }),
  )
}

function openApi({ service, metrics, disk }: Parts, { host, port, trustProxy, operatorToken }: Config): Promise<Door> {
  return serveApi(service, {
    ...{ host, port, trustProxy },
    judgeIntake: disk.judgeIntake,
    onAnswer: metrics.countCall,
    addRoutes(server, answerVisit, doors) {
      addMcpDoor(doors, service)
      addHealthRoutes(server, service, { metrics, operatorToken })
      addCapturedPages(server, service, { operatorToken })
      addPublicPages(server, service, answerVisit)
      addDocsPages(server, service, answerVisit)
      addTrackingRoutes(server, service)
      addImageRoute(server, service)
      addSessionDoor(doors)
      addWorkspacePages(server, service)
      addSesHook(server, service)
    },
  })
}
