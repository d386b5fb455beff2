/** A receiver of webhooks on this machine: it records its calls, and answers as a test sets it. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { after } from 'node:test'
import { until } from './until.ts'

export interface ReceivedCall {
  path: string
  headers: IncomingHttpHeaders
  body: string
  atMs: number
}

export interface Receiver {
  url: string
  port: number
  calls: ReceivedCall[]
  /** Connections that were opened to it. */
  connections(): number
  /** Its answer from now on; by default 200. */
  answer: (request: IncomingMessage, response: ServerResponse, call: ReceivedCall) => void
  /** Calls once there are so many. */
  received(count: number): Promise<ReceivedCall[]>
}

/** Ends with the test file. */
export async function startReceiver(): Promise<Receiver> {
  let connections = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body, atMs: Date.now() }
      receiver.calls.push(call)
      receiver.answer(request, response, call)
    })
    request.on('error', () => undefined)
  })
  server.on('connection', () => connections++)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    calls: [],
    connections: () => connections,
    answer: (_request, response) => void response.end('ok'),
    async received(count) {
      return until(
        () => receiver.calls,
        ({ length }) => length >= count,
      )
    },
  }
  return receiver
}
