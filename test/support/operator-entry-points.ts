/**
 * The service of a test file with all pages and health beside the API, as the program opens them.
 */
import { networkInterfaces } from 'node:os'
import type { Service } from '../../src/core/context.ts'
import type { ServeOptions } from '../../src/entrypoints/api/serve.ts'
import { addHealthRoutes } from '../../src/entrypoints/health/add-health-routes.ts'
import { createMetrics } from '../../src/entrypoints/health/metrics.ts'
import { addMcpRoutes } from '../../src/entrypoints/mcp/add-mcp-routes.ts'
import { addCapturedPages } from '../../src/entrypoints/pages/captured/add-captured-pages.ts'
import { addDocsPages } from '../../src/entrypoints/pages/docs/add-docs-pages.ts'
import { addImageRoute } from '../../src/entrypoints/pages/images/add-image-route.ts'
import { addPublicPages } from '../../src/entrypoints/pages/public/add-public-pages.ts'
import { createRenderMissing } from '../../src/entrypoints/pages/public/missing-page.ts'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { addResendRoutes } from '../../src/entrypoints/resend/add-resend-routes.ts'
import { addSessionRoutes } from '../../src/entrypoints/workspace/add-session-routes.ts'
import { addWorkspacePages } from '../../src/entrypoints/workspace/add-workspace-pages.ts'

export const operatorToken = 'a-token-that-nobody-guesses'

/** For `startApi({ entry })`. A null `token` means the operator has set none. */
export function operatorEntryPoints(
  options: Partial<ServeOptions> & { token?: string | null } = {},
): (service: Service) => Partial<ServeOptions> {
  const { token = operatorToken, ...rest } = options
  return (service) => {
    const metrics = createMetrics(service, { freeBytes: () => null, roomBytes: () => null })
    return {
      calls: metrics.calls,
      onBodies: metrics.watchBodies,
      showMissing: createRenderMissing(service),
      addRoutes(server, answerPage, entryPoints) {
        addMcpRoutes(entryPoints, service)
        addResendRoutes(entryPoints, service)
        addHealthRoutes(server, service, { metrics, operatorToken: token })
        addCapturedPages(server, service, { operatorToken: token, entryPoints })
        addPublicPages(server, service, entryPoints)
        addDocsPages(server, service, answerPage)
        addTrackingRoutes(server, service)
        addImageRoute(server, service)
        addSessionRoutes(entryPoints, service.settings)
        addWorkspacePages(server)
      },
      ...rest,
    }
  }
}

/**
 * An address of this machine that is not loopback: a request to it comes from elsewhere. Null where
 * there is none.
 */
export function ownAddress(): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null
}
