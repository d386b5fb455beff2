/**
 * The API for signed-in users: the operations of the API, and those for users alone, authenticated
 * by session instead of key.
 */
import { operationIds, operations } from '../../contract/operations.ts'
import { mailFileHeaders } from '../../core/presentation/mail-file-headers.ts'
import type { EntryPoints } from '../../core/dispatch/entry-points.ts'

/**
 * Operations of workspaces are at `/workspaces/{workspace}/api/v1/…`, those of users themselves at
 * `/people/api/v1/…`.
 */
export function addSessionRoutes(
  { route, dispatchSession }: Pick<EntryPoints, 'route' | 'dispatchSession'>,
  { baseUrl }: { baseUrl: string },
): void {
  for (const operation of operationIds) {
    const { method, path, entry } = operations[operation]
    const isOfUsers = entry === 'user'
    route(
      method,
      isOfUsers ? `/people${path}` : `/workspaces/{workspace}${path}`,
      async (incoming) => {
        const { workspace = '', ...params } = incoming.params
        const input = { params, query: incoming.query, headers: incoming.headers }
        const answer = await dispatchSession(
          { ...incoming, operation, input },
          isOfUsers ? null : workspace,
        )
        const files = mailFileHeaders(answer.file, { operation, incoming, baseUrl })
        return { ...answer, headers: { ...answer.headers, ...files }, operation }
      },
    )
  }
}
