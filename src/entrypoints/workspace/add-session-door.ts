/** The door of people: the same operations as programs have, and those that are for people alone, by session instead of key. */
import type { OutgoingFile } from '../../contract/operation.ts'
import { operationIds, operations } from '../../contract/operations.ts'
import type { Doors } from '../../core/dispatch/doors.ts'

/** Operations of workspaces are at `/workspaces/{workspace}/api/v1/…`, those of people as such at `/people/api/v1/…`. */
export function addSessionDoor({ route, dispatchSession }: Pick<Doors, 'route' | 'dispatchSession'>): void {
  for (const operation of operationIds) {
    const { method, path, door } = operations[operation]
    const isPersons = door === 'person'
    route(method, isPersons ? `/people${path}` : `/workspaces/{workspace}${path}`, async (incoming) => {
      const { workspace = '', ...params } = incoming.params
      const input = { params, query: incoming.query, headers: incoming.headers }
      const answer = await dispatchSession({ ...incoming, operation, input }, isPersons ? null : workspace)
      return { ...answer, headers: { ...answer.headers, ...headersOf(answer.file, incoming.query) }, operation }
    })
  }
}

/** What is private stays in no cache. What others wrote is shown as something that can do nothing, and asks nobody for anything. */
function headersOf(file: OutgoingFile | undefined, query: Record<string, string>): Record<string, string> {
  const plain = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' }
  if (!file?.type.startsWith('text/html'))
    return file ? { ...plain, 'Content-Security-Policy': "sandbox; default-src 'none'" } : plain
  const images = query['images'] === '1' ? "'self' data: https: http:" : "'self' data:"
  return {
    ...plain,
    'Content-Security-Policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}`,
  }
}
