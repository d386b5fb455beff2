/** Sockets before their greeting: those of one network leave room for others, and each ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { Service } from '../../src/core/context.ts'
import { openIntake } from '../../src/core/intake.ts'
import { serveSubmission } from '../../src/entrypoints/submission/serve-submission.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { until } from '../support/until.ts'

test('sockets whose TLS does not begin end for those of other networks, and in a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let passedMs = 0
  const clock = { ...systemClock, monotonicMs: () => passedMs }
  const served = await serveSubmission(
    { clock, log: console, settings: { baseUrl: 'https://mail.test' } } as unknown as Service,
    {
      ...{ host: '127.0.0.1', name: 'mail.test', port: null, tlsPort: 0, intake: openIntake() },
      ...{ tls: testCertificate, ends: { inc: () => undefined } },
    },
  )
  t.after(() => served.close(0))
  const port = served.tlsPort ?? 0
  const ended = new Set<Socket>()
  const openFrom = async (localAddress: string, count: number): Promise<Socket[]> => {
    const sockets: Socket[] = []
    for (let opened = 0; opened < count; opened++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined).on('close', () => ended.add(socket))
      socket.resume()
      await once(socket, 'connect')
      t.after(() => socket.destroy())
      sockets.push(socket)
    }
    return sockets
  }
  const many = await openFrom('127.0.0.31', 200)
  // One network has no more than its share, also while there is room.
  const [further] = await openFrom('127.0.0.31', 1)
  await until(() => further !== undefined && ended.has(further))
  const some = await openFrom('127.0.0.32', 200)
  const others = await openFrom('127.0.0.33', 100)
  assert.equal(ended.size, 1)
  // Another one's handshake goes on, and the oldest socket of the largest network ends.
  const greet = async (): Promise<void> => {
    const socket = connectTls({
      ...{ port, host: '127.0.0.1', localAddress: '127.0.0.34', rejectUnauthorized: false },
    })
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    assert.match(greeting.toString(), /^220 /)
    socket.destroy()
  }
  await greet()
  await until(() => ended.size === 2)
  const [oldest] = many
  assert.ok(oldest && ended.has(oldest))

  passedMs += 60_001
  t.mock.timers.tick(5_000)
  await until(() => [...many, ...some, ...others].every((socket) => ended.has(socket)))
  await greet()
})
