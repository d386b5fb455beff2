/**
 * A port on which a process can be started again and again, while clients ask for it in between.
 */
import { createServer } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections: one of those could be taken while the
 * port is closed, even by a client that asks for it and meets itself (RFC 9293 3.5, simultaneous
 * open).
 */
export async function restartPort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * portsOfProcess)
    if (ports.includes(port) || !(await isFree(port))) continue
    ports.push(port)
    if (ports.length > portsOfProcess / 2) ports.shift()
    return port
  }
}

/**
 * Files that run at once have ports of their own: between two lives of a process no other takes its
 * port.
 */
const portsOfProcess = 100
const first = 20_000 + (process.pid % 100) * portsOfProcess
/** The latest: who has one may not listen yet. */
const ports: number[] = []

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
