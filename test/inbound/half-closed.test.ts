/**
 * Servers that end their side of the connection right behind a mail, as Exim does, are answered all
 * the same.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from '../support/test-certificate.ts'
import { deliveryReport, noSuchUser, recipientsNow, relayedTo, startRelayedWorld } from './world.ts'
import { until } from '../support/until.ts'

const world = await startRelayedWorld({}, { tls: testCertificate })
const shop = await world.workspace('Half closed')

/** The text that arrives from now on, once it matches. */
async function heard(socket: Socket, pattern: RegExp): Promise<string> {
  let text = ''
  while (!pattern.test(text)) text += String((await once(socket, 'data'))[0])
  return text
}

/** The text until the server ends its side too. */
async function rest(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

async function opened(secure: boolean): Promise<Socket> {
  const socket = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true })
  await heard(socket, /^220 /)
  socket.write('EHLO mx.example.test\r\n')
  await heard(socket, /^250 /m)
  if (!secure) return socket
  socket.write('STARTTLS\r\n')
  await heard(socket, /^220 /)
  const tls = connectTls({ socket, rejectUnauthorized: false })
  await once(tls, 'secureConnect')
  tls.write('EHLO mx.example.test\r\n')
  await heard(tls, /^250 /m)
  return tls
}

for (const secure of [false, true]) {
  test(`final dot, QUIT and the end of its side in one${secure ? ', over TLS' : ''}: taken, and 250 arrives`, async () => {
    const { id, returnPaths } = await relayedTo(world, shop, [`gone${secure ? 2 : 1}@example.com`])
    const socket = await opened(secure)
    socket.write(`MAIL FROM:<>\r\nRCPT TO:<${returnPaths[0]}>\r\nDATA\r\n`)
    await heard(socket, /^354 /m)
    socket.end(`${deliveryReport(noSuchUser)}\r\n.\r\nQUIT\r\n`)
    assert.match(await rest(socket), /^250 [^\n]*\r\n221 /)
    assert.partialDeepStrictEqual(await recipientsNow(world, shop, id), [{ status: 'bounced' }])
  })
}

test('the end in the middle of a mail: nothing is taken, and the connection ends', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, ['half@example.com'])
  const socket = await opened(false)
  socket.write(`MAIL FROM:<>\r\nRCPT TO:<${returnPaths[0]}>\r\nDATA\r\n`)
  await heard(socket, /^354 /m)
  world.ends.length = 0
  socket.end(deliveryReport(noSuchUser))
  assert.match(await rest(socket), /^421 /)
  await until(() => world.ends.length > 0)
  assert.deepEqual(world.ends, ['broken_off'])
  assert.partialDeepStrictEqual(await recipientsNow(world, shop, id), [{ status: 'sent' }])
})
