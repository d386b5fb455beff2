/**
 * The port of the API while the start works on the embedded database, which takes minutes where it
 * moves from an older PostgreSQL: probes see a process that lives and is not ready yet, and callers
 * are asked to repeat their call.
 */
import { createServer } from 'node:http'
import { errorBody, type Language } from '../../contract/errors.ts'
import { chooseRequestId } from '../../ground/log.ts'

export interface StartingPort {
  /** What the start does now, for `/readyz`. */
  show(step: string): void
  /** The port is free once it resolves. */
  close(): Promise<void>
}

const retryAfterSeconds = 3

/** Never rejects: the service itself says why it cannot listen. */
export async function serveStarting({
  host,
  port,
  language,
}: {
  host: string
  port: number
  language: Language
}): Promise<StartingPort> {
  let step = ''
  const answerTo = (path: string | undefined): { status: 200 | 503; body: object } => {
    if (path === '/healthz') return { status: 200, body: { status: 'alive' } }
    if (path === '/readyz')
      return { status: 503, body: { status: 'not_ready', reasons: [{ reason: 'starting', step }] } }
    return { status: 503, body: errorBody('internal_error', { reason: 'starting' }, language, 503) }
  }
  const server = createServer((request, response) => {
    const { status, body } = answerTo(request.url?.split('?', 1)[0])
    const text = JSON.stringify(body)
    response.writeHead(status, {
      ...{
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
        'Cache-Control': 'no-store',
      },
      ...{ Connection: 'close', 'X-Request-Id': chooseRequestId(request.headers['x-request-id']) },
      ...(status === 503 && { 'Retry-After': retryAfterSeconds }),
    })
    response.end(text)
  })
  await new Promise<void>((resolve) => {
    server.on('error', () => resolve())
    server.listen({ host, port }, resolve)
  })
  return {
    show: (text) => void (step = text),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
