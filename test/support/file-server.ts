/** A web server with files, by https with a certificate of its own authority. */
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { makeAuthority } from './certificates.ts'

export type Serve = (response: ServerResponse, request: IncomingMessage) => void

export interface FileServer {
  /** What trusts its certificate. */
  authorities: string
  port: number
  /** Paths with their queries, in the order of the requests. */
  requests: string[]
  /** Connections that came, also those that asked for nothing. */
  connections(): number
}

/** Each path as it is served; others answer 404. It is called by each of `names`. */
export async function startFileServer(
  names: string[],
  serve: Record<string, Serve>,
): Promise<FileServer> {
  const authority = makeAuthority()
  const requests: string[] = []
  let connections = 0
  const server = createServer(authority.sign(names), (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://files.test')
    requests.push(request.url ?? '')
    const answer = serve[pathname] ?? ((missing) => missing.writeHead(404).end('no such file'))
    answer(response, request)
  })
  server.on('connection', () => connections++)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { authorities: authority.cert, port, requests, connections: () => connections }
}
