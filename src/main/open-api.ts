/**
 * Opens the API with everything on the same port: pages, pictures, links in mails, webhooks of
 * providers, health.
 */
import type { Config } from '../ground/config.ts'
import type { Service } from '../core/context.ts'
import type { Intake } from '../core/intake.ts'
import { serveApi, type Served } from '../entrypoints/api/serve.ts'
import { addHealthRoutes } from '../entrypoints/health/add-health-routes.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'
import { addMcpRoutes } from '../entrypoints/mcp/add-mcp-routes.ts'
import { addSesHook } from '../entrypoints/inbound/amazon-ses/add-ses-hook.ts'
import { addCapturedPages } from '../entrypoints/pages/captured/add-captured-pages.ts'
import { addDocsPages } from '../entrypoints/pages/docs/add-docs-pages.ts'
import { addImageRoute } from '../entrypoints/pages/images/add-image-route.ts'
import { addPublicPages } from '../entrypoints/pages/public/add-public-pages.ts'
import { createRenderMissing } from '../entrypoints/pages/public/missing-page.ts'
import { addResendRoutes } from '../entrypoints/resend/add-resend-routes.ts'
import { addTrackingRoutes } from '../entrypoints/pages/tracking/add-tracking-routes.ts'
import { addSessionRoutes } from '../entrypoints/workspace/add-session-routes.ts'
import { addWorkspacePages } from '../entrypoints/workspace/add-workspace-pages.ts'

/** The input of a process's listening part. */
export interface EntryPointParts {
  service: Service
  metrics: Metrics
  intake: Intake
  /** Aborted once the process was asked to stop. */
  stopping?: AbortSignal
  /** Whether the switch of a move keeps statements back. */
  isPaused: () => boolean
}

export function openApiEntryPoint(
  { service, metrics, intake, stopping, isPaused }: EntryPointParts,
  { host, port, trustProxy, operatorToken }: Config,
): Promise<Served> {
  stopping?.addEventListener('abort', service.captureWaits.end, { once: true })
  return serveApi(service, {
    ...{ host, port, trustProxy, intake, stopping },
    calls: metrics.calls,
    onBodies: metrics.watchBodies,
    showMissing: createRenderMissing(service),
    addRoutes(server, answerPage, entryPoints) {
      addMcpRoutes(entryPoints, service)
      addResendRoutes(entryPoints, service)
      addHealthRoutes(server, service, { metrics, operatorToken, stopping, isPaused })
      addCapturedPages(server, service, { operatorToken, entryPoints })
      addPublicPages(server, service, entryPoints)
      addDocsPages(server, service, answerPage)
      addTrackingRoutes(server, service)
      addImageRoute(server, service)
      addSessionRoutes(entryPoints, service.settings)
      addWorkspacePages(server)
      addSesHook(server, service, entryPoints)
    },
  })
}
