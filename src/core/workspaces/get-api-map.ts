/** GET /api/v1: the map of the API, for a caller without a key. */
import { operationIds, operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import { allScopes, scopes } from '../../contract/scopes.ts'
import type { Verb } from '../verb.ts'

export const getApiMap: Verb<'getApiMap'> = (ctx) => {
  const { baseUrl } = ctx.settings
  const listed: Operation[] = operationIds
    .map((id) => operations[id])
    .filter((operation) => operation.entry === 'api')
  return Promise.resolve({
    body: {
      object: 'api',
      name: 'Facteur',
      version: '1.0.0',
      documentation: `${baseUrl}/docs`,
      openapi: `${baseUrl}/api/v1/openapi.json`,
      mcp: `${baseUrl}/api/mcp`,
      endpoints: listed.map(({ method, path, scope, summary }) => ({
        method,
        path,
        scope: scope === 'none' ? null : scope,
        summary,
      })),
      scopes: allScopes.map((name) => ({ name, description: scopes[name] })),
    },
  })
}
