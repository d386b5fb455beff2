/** What the port answers while it stops, and while the mails that it holds fill their memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Talk } from '../support/smtp-talk.ts'
import { logIn, startSubmissionWorld, submit } from './world.ts'

const world = await startSubmissionWorld({}, { bufferedBytesMax: 2_000 })
const shop = await world.workspace('Shop')
const accepted = /^250 2\.6\.0 /
const lines = (length: number): string[] => [
  `From: hello@${shop.domain}`,
  'Subject: Hello',
  '',
  ...Array.from({ length }, () => 'x'.repeat(98)),
]
const begin = async (talk: Talk): Promise<void> => {
  for (const command of ['MAIL FROM:<>', 'RCPT TO:<you@example.com>', 'DATA'])
    await talk.say(command)
}

test('451 4.3.2 while the mails of others fill the memory; the next one is taken', async () => {
  const [slow, next] = [await logIn(world.port, shop.key), await logIn(world.port, shop.key)]
  await begin(slow)
  await slow.send(`${lines(15).join('\r\n')}\r\n`)
  const to = ['you@example.com']
  // The port reads the slow one's bytes when it can.
  let reply = accepted.source
  for (let tries = 0; tries < 50 && !reply.startsWith('451'); tries++)
    reply = await submit(next, { to, lines: lines(10) })
  assert.match(reply, /^451 4\.3\.2 /)
  assert.match(await slow.say('.'), accepted)
  assert.match(await submit(next, { to, lines: lines(10) }), accepted)
  assert.ok(world.ends.includes('busy'))
  slow.close()
  next.close()
})

test('421 4.3.2 while it stops: for idle connections, and for one behind the reply of its mail', async () => {
  const [idle, taking] = [await logIn(world.port, shop.key), await logIn(world.port, shop.key)]
  await begin(taking)
  const closed = world.close()
  assert.match(await taking.say([...lines(1), '.'].join('\r\n')), accepted)
  await closed
  for (const talk of [idle, taking]) {
    assert.match(await talk.heard(), /^421 4\.3\.2 /)
    assert.equal(await talk.heard(), 'closed')
  }
})
