/**
 * The API for signed-in users: the operations of the API, and those for users alone, authenticated
 * by session instead of key.
 */
import type { OutgoingFile } from '../../contract/operation.ts'
import { operationIds, operations } from '../../contract/operations.ts'
import { imageFolder } from '../../core/presentation/image-address.ts'
import type { EntryPoints, Incoming } from '../../core/dispatch/entry-points.ts'

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
        return {
          ...answer,
          headers: { ...answer.headers, ...headersOf(answer.file, incoming, baseUrl) },
          operation,
        }
      },
    )
  }
}

/** Third-party content has a policy under which it runs and loads nothing. */
function headersOf(
  file: OutgoingFile | undefined,
  { query, headers }: Pick<Incoming, 'query' | 'headers'>,
  baseUrl: string,
): Record<string, string> {
  const plain = { 'Referrer-Policy': 'no-referrer' }
  if (!file?.type.startsWith('text/html'))
    return file ? { ...plain, 'Content-Security-Policy': "sandbox; default-src 'none'" } : plain
  const images = query['images'] === '1' ? 'https: http:' : ownPictures(headers.host, baseUrl)
  return {
    ...plain,
    'Content-Security-Policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: ${images}`,
  }
}

/**
 * The folder of pictures, under our own and the requested host name; requests to other paths could
 * count as opens.
 */
function ownPictures(host: string | undefined, baseUrl: string): string {
  const hosts = new Set([new URL(baseUrl).host])
  if (host !== undefined && /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i.test(host)) hosts.add(host)
  return [...hosts].map((each) => each + imageFolder).join(' ')
}
