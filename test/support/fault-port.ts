/** A port on which a process can be started again and again, while clients ask for it in between. */
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections: one of those could be taken while nobody listens, even by a client
 * that asks for it and meets itself (RFC 9293 3.5, simultaneous open).
 */
export async function restartPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
