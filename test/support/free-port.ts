/**
 * A port of the loopback address that nothing listens on, and that no other process of the tests
 * gets while this one lives.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * Below the ports from which systems connect: a connection could take one of those before its
 * listener does. Above those that `fetch` refuses, of which 10080 is the highest.
 */
const [portMin, portMax] = [11_000, 32_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portMax)
    if ((await reserves(port)) && (await isFree(port))) return port
  }
}

/**
 * Takes the UDP port of the same number until this process ends: every other process of the tests
 * then passes it over.
 */
const reserves = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
