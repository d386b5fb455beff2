/** The API with everything that is served beside it: pages, pictures, links in mails, notices of others, health. */
import type { Config } from '../config.ts'
import { serveApi } from '../entrypoints/api/serve.ts'
import { addHealthRoutes } from '../entrypoints/health/add-health-routes.ts'
import { addMcpDoor } from '../entrypoints/mcp/add-mcp-door.ts'
import { addSesHook } from '../entrypoints/inbound/amazon-ses/add-ses-hook.ts'
import { addCapturedPages } from '../entrypoints/pages/captured/add-captured-pages.ts'
import { addDocsPages } from '../entrypoints/pages/docs/add-docs-pages.ts'
import { addImageRoute } from '../entrypoints/pages/images/add-image-route.ts'
import { addPublicPages } from '../entrypoints/pages/public/add-public-pages.ts'
import { createShowMissing } from '../entrypoints/pages/public/missing-page.ts'
import { addTrackingRoutes } from '../entrypoints/pages/tracking/add-tracking-routes.ts'
import { addSessionDoor } from '../entrypoints/workspace/add-session-door.ts'
import { addWorkspacePages } from '../entrypoints/workspace/add-workspace-pages.ts'
import type { Door, DoorParts } from './door.ts'

export function openApi(
  { service, metrics, disk }: DoorParts,
  { host, port, trustProxy, operatorToken, program }: Config,
): Promise<Door> {
  return serveApi(service, {
    ...{ host, port, trustProxy },
    judgeIntake: disk.judgeIntake,
    onAnswer: metrics.countCall,
    onBodies: metrics.watchBodies,
    showMissing: createShowMissing(service),
    addRoutes(server, answerVisit, doors) {
      addMcpDoor(doors, service)
      addHealthRoutes(server, service, { metrics, operatorToken })
      addCapturedPages(server, service, { operatorToken, program })
      addPublicPages(server, service, answerVisit)
      addDocsPages(server, service, answerVisit)
      addTrackingRoutes(server, service)
      addImageRoute(server, service)
      addSessionDoor(doors, service.settings)
      addWorkspacePages(server, service)
      addSesHook(server, service)
    },
  })
}
