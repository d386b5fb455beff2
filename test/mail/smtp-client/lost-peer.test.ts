/**
 * A host that is lost without closing its connections is noticed by keep-alive probes, long before
 * the reply's own time limit.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { dialTcp } from '../../../src/mail/smtp-client/dial.ts'

const table = '/proc/net/tcp'
const skip = existsSync(table) ? false : 'skipped: the timers of the sockets are read from Linux'

test('a connection that is silent for half a minute is probed', { skip }, async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  const socket = await dialTcp({ host: '127.0.0.1', port }, new AbortController().signal)
  t.after(() => socket.destroy())
  const { timer, seconds } = timerOf(socket.localPort ?? 0, port)
  assert.equal(timer, '02', 'the timer that runs is the one of keep-alive')
  assert.ok(seconds > 25 && seconds <= 30, `the first probe comes in ${seconds} s`)
})

/**
 * proc_pid_net(5): both ports, ESTABLISHED (01), then the kind of timer that runs and its rest in
 * hundredths of a second.
 */
function timerOf(localPort: number, remotePort: number): { timer: string; seconds: number } {
  const [local, remote] = [localPort, remotePort].map((port) =>
    port.toString(16).toUpperCase().padStart(4, '0'),
  )
  const line = readFileSync(table, 'utf8')
    .split('\n')
    .find((each) =>
      new RegExp(`^ *\\d+: [0-9A-F]{8}:${local} [0-9A-F]{8}:${remote} 01 `).test(each),
    )
  const [, timer = '', rest = ''] =
    / (\d\d):([0-9A-F]{8}) /.exec(line ?? assert.fail('the connection is not in the table')) ?? []
  return { timer, seconds: Number.parseInt(rest, 16) / 100 }
}
