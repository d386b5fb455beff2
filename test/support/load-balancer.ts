/**
 * A load balancer as HAProxy and Caddy are one: it asks each process for `/readyz` and passes calls
 * to those that are ready, in turn. It repeats no call: what a process does not answer, the caller
 * gets as 502.
 */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { until } from './until.ts'

export interface LoadBalancer {
  port: number
  /** From now on, this port is asked for its health. */
  add(port: number): void
  isUp(port: number): boolean
  /** How many calls it has answered. */
  answers(port: number): number
  /** By the operator's hand: it gets no further call. Resolves when those under way have ended. */
  takeOut(port: number): Promise<void>
  /** Each time that a process was no longer ready, by its port. */
  downs: number[]
  /** Calls that no process answered, in words. */
  failures: string[]
}

interface Backend {
  port: number
  agent: Agent
  isUp: boolean
  isOut: boolean
  /** A check is under way. */
  isAsked: boolean
  failed: number
  open: number
  answers: number
}

/** HAProxy's `inter`, here shorter, and `fall`: so many failed checks take a process out. */
const [checkEveryMs, fall] = [150, 3]

export async function startBalancer(scope: {
  after(end: () => Promise<unknown>): void
}): Promise<LoadBalancer> {
  const backends: Backend[] = []
  const downs: number[] = []
  const failures: string[] = []
  let turn = 0
  const server = createServer((incoming, answer) => {
    const up = backends.filter(({ isUp, isOut }) => isUp && !isOut)
    const backend = up[turn++ % Math.max(1, up.length)]
    if (backend) return pass(backend, incoming, answer, failures)
    failures.push(`${incoming.method} ${incoming.url}: no process is ready`)
    answer.writeHead(503).end('{}')
  })
  const checks = setInterval(() => {
    for (const backend of backends)
      void check(backend).then((wentDown) => wentDown && downs.push(backend.port))
  }, checkEveryMs)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  scope.after(async () => {
    clearInterval(checks)
    server.close()
    server.closeAllConnections()
    for (const { agent } of backends) agent.destroy()
  })
  const find = (port: number): Backend | undefined =>
    backends.find((backend) => backend.port === port)
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    add(port) {
      const agent = new Agent({ keepAlive: true })
      backends.push({
        port,
        agent,
        isUp: false,
        isOut: false,
        isAsked: false,
        failed: 0,
        open: 0,
        answers: 0,
      })
    },
    isUp: (port) => find(port)?.isUp ?? false,
    answers: (port) => find(port)?.answers ?? 0,
    async takeOut(port) {
      const backend = find(port)
      if (!backend) return
      backend.isOut = true
      await until(() => backend.open === 0)
    },
    downs,
    failures,
  }
}

/**
 * Answers whether it was up and is no longer. Of one process, a check follows the end of the
 * former: one pause is one failed check.
 */
async function check(backend: Backend): Promise<boolean> {
  if (backend.isAsked) return false
  backend.isAsked = true
  const isReady = await new Promise<boolean>((resolve) => {
    const requests = request(
      { port: backend.port, host: '127.0.0.1', path: '/readyz', agent: false, timeout: 10_000 },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      },
    )
    requests.on('timeout', () => requests.destroy())
    requests.on('error', () => resolve(false))
    requests.end()
  })
  backend.isAsked = false
  const wasUp = backend.isUp
  backend.failed = isReady ? 0 : backend.failed + 1
  if (isReady) backend.isUp = true
  else if (backend.failed >= fall) backend.isUp = false
  return wasUp && !backend.isUp
}

function pass(
  backend: Backend,
  incoming: IncomingMessage,
  answer: ServerResponse,
  failures: string[],
): void {
  const { method, url: path, headers } = incoming
  backend.open++
  const requests = request({
    ...{ port: backend.port, host: '127.0.0.1', agent: backend.agent },
    method,
    path,
    headers,
  })
  requests.on('response', (response) => {
    backend.answers++
    const { connection: _hopByHop, ...rest } = response.headers
    answer.writeHead(response.statusCode ?? 502, rest)
    response.pipe(answer)
  })
  requests.on('close', () => backend.open--)
  requests.on('error', (error) => {
    failures.push(`${method} ${path} at ${backend.port}: ${error.message}`)
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502).end('{}')
  })
  incoming.pipe(requests)
}
