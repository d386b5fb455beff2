/** A port of the loopback address that nothing listens on at this moment. */
import { createServer } from 'node:net'

/** The system gives each asker another one, so that test files side by side do not meet. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('No port'))))
    })
  })
}
