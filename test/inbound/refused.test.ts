/**
 * The inbound port refuses addresses that we did not make, too many bytes, too many connections,
 * and a mail within a mail.
 */
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createConnectionLimits } from '../../src/entrypoints/inbound/connection-limits.ts'
import { serveInbound, type InboundEnd } from '../../src/entrypoints/inbound/serve-inbound.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { handIn, handInAll, talkTo, type Talk } from '../support/smtp-talk.ts'
import {
  complaint,
  deliveryReport,
  inboundDomain,
  noSuchUser,
  recipientsNow,
  relayedTo,
  startRelayedWorld,
} from './world.ts'
import { until } from '../support/until.ts'

const logged: { fields: object; message: string }[] = []
const keep = (fields: object, message: string): void => void logged.push({ fields, message })
const log = { debug: () => undefined, info: keep, warn: keep, error: keep }
const world = await startRelayedWorld({ log }, { tls: testCertificate })
const shop = await world.workspace('Refused returns')
const other = await world.workspace('Refused elsewhere')
const ours = await relayedTo(world, shop, ['person@example.com'])
const to = ours.returnPaths[0] ?? ''

async function opened(): Promise<Talk> {
  const talk = await talkTo(world.port)
  await talk.heard()
  await talk.say('EHLO mx.example.test')
  return talk
}

test('addresses that we did not make: 550 at RCPT, a reason in the log and no address; the eleventh ends the connection', async () => {
  const created = world.service.verp.make('bounce', {
    workspaceId: other.id,
    messageId: ours.id,
    position: 0,
  })
  const [local = ''] = to.split('@')
  const forged = [
    'postmaster',
    'b-',
    'b-aaaaaaa',
    local.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    local.replace('b-', 'u-'),
    `${local}a`,
    `b-${'a'.repeat(50)}`,
    `${created.slice(0, 30)}${local.slice(30)}`,
    `"${local} "`,
  ]
  const talk = await opened()
  await talk.say('MAIL FROM:<>')
  logged.length = 0
  for (const name of forged)
    assert.match(
      await talk.say(`RCPT TO:<${name}@${inboundDomain}>`),
      /^(?:550 5\.1\.1|501|553)/,
      name,
    )
  while ((await talk.say(`RCPT TO:<nobody@${inboundDomain}>`)).startsWith('550'));
  assert.equal(await talk.heard(), 'closed')
  assert.ok(
    logged.length >= 8 && logged.every(({ fields }) => !JSON.stringify(fields).includes('@')),
  )
  assert.ok(logged.some(({ fields }) => 'why' in fields && fields.why === 'bad_address'))
})

test('a Final-Recipient of another recipient, in any number of notices: their status stays, and 50 are stored', async () => {
  const victim = await relayedTo(world, shop, ['victim@example.com'])
  const target = await relayedTo(world, shop, ['holder@example.com'])
  const path = target.returnPaths[0] ?? ''
  const replies = await handInAll(
    world.port,
    Array.from({ length: 60 }, (_, n) => {
      const fields = `Original-Recipient: rfc822; victim@example.com\nFinal-Recipient: rfc822; victim@example.com\nAction: delayed\nStatus: 4.4.${n}`
      return { to: path, bytes: deliveryReport(fields) }
    }),
  )
  assert.ok(replies.every((reply) => reply.startsWith('250')))
  assert.equal(world.ends.at(-1), 'too_many')
  assert.equal((await recipientsNow(world, shop, victim.id))[0]?.status, 'sent')
  const stored = await world.service.db.rows(
    sql`select 1 from feedback where workspace_id = ${shop.id} and message_id = ${target.id}`,
  )
  assert.equal(stored.length, 50)
  assert.match(await handIn(world.port, { to: path, bytes: complaint('abuse') }), /^250/)
  assert.equal(
    world.ends.at(-1),
    'complained_unproven',
    'notices of any number push out no complaint',
  )
})

test('a mail is one mail: a dot between bare line feeds, or bare carriage returns, ends nothing (RFC 5321 4.1.1.4)', async () => {
  const smuggled = await relayedTo(world, shop, ['smuggled@example.com'])
  for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\n.\r', '\r.\r\n']) {
    const talk = await opened()
    await talk.say('MAIL FROM:<>')
    await talk.say(`RCPT TO:<${to}>`)
    await talk.say('DATA')
    const earlier = world.ends.length
    await talk.send(
      `Subject: x\r\n\r\nHello${end}MAIL FROM:<>\r\nRCPT TO:<${smuggled.returnPaths[0] ?? ''}>\r\nDATA\r\n${deliveryReport(noSuchUser)}\r\n.\r\n`,
    )
    assert.match(await talk.heard(), /^250/)
    assert.match(await talk.say('NOOP'), /^250/)
    assert.equal(world.ends.length, earlier + 1, JSON.stringify(end))
    talk.close()
  }
  assert.equal((await recipientsNow(world, shop, smuggled.id))[0]?.status, 'sent')
})

test('limits: 552 above 2 MB, and at once above what a report may have, 452 for the sixth recipient, no login, no relaying, a line without end', async () => {
  assert.match(
    await handIn(world.port, { to, bytes: `Subject: x\r\n\r\n${'a'.repeat(2_000_001)}` }),
    /^552/,
  )
  const talk = await opened()
  assert.match(await talk.say(`MAIL FROM:<a@example.test> SIZE=5000001`), /^552/)
  await talk.say('MAIL FROM:<a@example.test>')
  const six = Array.from({ length: 6 }, (_, position) =>
    world.service.verp.make('bounce', { workspaceId: shop.id, messageId: ours.id, position }),
  )
  const replies = []
  for (const local of six)
    replies.push((await talk.say(`RCPT TO:<${local}@${inboundDomain}>`)).slice(0, 3))
  assert.deepEqual(replies, ['250', '250', '250', '250', '250', '452'])
  assert.match(await talk.say('AUTH PLAIN AGEAYg=='), /^50\d/)
  assert.match(await talk.say('RCPT TO:<somebody@example.org>'), /^(?:550|452)/)
  await talk.send('a'.repeat(100_000))
  assert.match(await talk.heard(), /^421/)
  talk.close()
})

test('a connection that ends within a mail: nothing of it is taken', async () => {
  const target = await relayedTo(world, shop, ['cut@example.com'])
  const talk = await opened()
  await talk.say('MAIL FROM:<>')
  await talk.say(`RCPT TO:<${target.returnPaths[0] ?? ''}>`)
  await talk.say('DATA')
  await talk.send(deliveryReport(noSuchUser))
  talk.close()
  await until(() => world.ends.at(-1) === 'broken_off')
  assert.equal((await recipientsNow(world, shop, target.id))[0]?.status, 'sent')
})

test('20 connections of one address are open at once, the next gets 421 until they are gone', async () => {
  const talks = await Promise.all(Array.from({ length: 20 }, opened))
  const next = await talkTo(world.port)
  assert.match(await next.heard(), /^421 4\.7\.0/)
  for (const talk of talks) talk.close()
  next.close()
  for (let greeting = ''; !greeting.startsWith('220 ');) {
    const again = await talkTo(world.port)
    greeting = await again.heard()
    again.close()
  }
})

/** A port of its own for a test that counts its connections, or moves its clock. */
async function servedApart(
  t: TestContext,
  clock = systemClock,
): Promise<{ port: number; ends: InboundEnd[] }> {
  const ends: InboundEnd[] = []
  const options = {
    host: '127.0.0.1',
    port: 0,
    tls: null,
    ends: { inc: ({ outcome }: { outcome: InboundEnd }) => void ends.push(outcome) },
  }
  const served = await serveInbound({ ...world.service, clock }, options)
  t.after(() => served.close(500))
  return { port: served.port, ends }
}

test('100 connections of all addresses together are open at once; for one of another address, the oldest idle one gets 421', async (t) => {
  const { port } = await servedApart(t)
  const addresses = [2, 3, 4, 5, 6].map((last) => `127.0.0.${last}`)
  const talks = await Promise.all(
    addresses.flatMap((from) => Array.from({ length: 20 }, () => talkTo(port, from))),
  )
  for (const talk of talks) assert.match(await talk.heard(), /^220 /)
  const next = await talkTo(port, '127.0.0.7')
  assert.match(await next.heard(), /^220 /)
  const ended = await Promise.any(talks.map((talk) => talk.heard()))
  assert.match(ended, /^421 4\.3\.2 /)
  for (const talk of [...talks, next]) talk.close()
})

test('a connection that says nothing for a minute gets 421', async (t) => {
  const { setTimeout: set } = Socket.prototype
  const requests: number[] = []
  // Sockets wait a hundredth of their timeouts.
  t.mock.method(
    Socket.prototype,
    'setTimeout',
    function quicker(this: Socket, ms: number, then?: () => void) {
      requests.push(ms)
      return set.call(this, ms / 100, then)
    },
  )
  const talk = await talkTo(world.port)
  await talk.heard()
  assert.match(await talk.heard(), /^421 /)
  assert.ok(requests.includes(60_000))
  talk.close()
})

test('a connection ends after a quarter of an hour, however busy it is; a younger one goes on', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let nowMs = 0
  const { port } = await servedApart(t, { ...systemClock, monotonicMs: () => nowMs })
  const old = await talkTo(port)
  await old.heard()
  nowMs = 60_000
  const young = await talkTo(port)
  await young.heard()
  nowMs = 15 * 60_000
  t.mock.timers.tick(30_000)
  for (const talk of [old, young]) assert.match(await talk.say('NOOP'), /^250/)
  nowMs += 1
  t.mock.timers.tick(30_000)
  assert.match(await old.heard(), /^421 4\.4\.2/)
  assert.match(await young.say('NOOP'), /^250/)
  for (const talk of [old, young]) talk.close()
})

test('STARTTLS with the certificate that is set; a mail in TLS is read', async () => {
  const target = await relayedTo(world, shop, ['tls@example.com'])
  const talk = await talkTo(world.port)
  await talk.heard()
  assert.match(await talk.say('EHLO mx.example.test'), /STARTTLS/)
  assert.match(await talk.say('STARTTLS'), /^220/)
  await talk.secure()
  assert.doesNotMatch(await talk.say('EHLO mx.example.test'), /STARTTLS|AUTH/)
  await talk.say('MAIL FROM:<>')
  await talk.say(`RCPT TO:<${target.returnPaths[0] ?? ''}>`)
  await talk.say('DATA')
  await talk.send(`${deliveryReport(noSuchUser)}\r\n.\r\n`)
  assert.match(await talk.heard(), /^250/)
  talk.close()
  assert.equal((await recipientsNow(world, shop, target.id))[0]?.status, 'bounced')
})

test('6,000 mails of one address are read in a minute, not more; of another address, and a minute later, they are', () => {
  let nowMs = 0
  const rateLimits = createConnectionLimits({ monotonicMs: () => nowMs })
  for (let mail = 0; mail < 6_000; mail++) assert.ok(rateLimits.takeMail('192.0.2.1'))
  assert.equal(rateLimits.takeMail('192.0.2.1'), false)
  assert.ok(rateLimits.takeMail('192.0.2.2'))
  nowMs += 60_001
  assert.ok(rateLimits.takeMail('192.0.2.1'))
})

test('addresses of one IPv6 network share its connections and its mails, however they are written', () => {
  const rateLimits = createConnectionLimits({ monotonicMs: () => 0 })
  const from = (host: number): string => `2001:db8::a${host.toString(16)}:b:c:d`
  for (let host = 0; host < 20; host++) assert.ok(rateLimits.open(String(host), from(host)))
  assert.equal(rateLimits.open('20', from(20)), null)
  assert.ok(rateLimits.open('21', '2001:db8:0:1::1'))
  rateLimits.close('0')
  assert.ok(rateLimits.open('22', from(22)))
})

test('64 MB of mails are held at once; a network has at most half of what then stays free, so that there is always room for another one', () => {
  const rateLimits = createConnectionLimits({ monotonicMs: () => 0 })
  let retained = 0
  for (let network = 0; network < 5; network++) {
    const memory = rateLimits.memoryOf(`192.0.2.${network}`)
    while (memory.retain(100_000)) retained += 100_000
    assert.ok(retained <= 64_000_000)
  }
  assert.ok(retained > 50_000_000)
  const another = rateLimits.memoryOf('198.51.100.1')
  assert.ok(another.retain(2_000_000), 'a notice of another network finds room')
  another.release(2_000_000)
  assert.ok(another.retain(2_000_000))
})

test('a hundred idle connections do not close the port: the oldest of the network with the most of them ends for another', () => {
  const rateLimits = createConnectionLimits({ monotonicMs: () => 0 })
  for (let session = 0; session < 100; session++) {
    assert.deepEqual(rateLimits.open(String(session), `192.0.2.${session % 5}`), { ends: [] })
  }
  assert.equal(
    rateLimits.open('100', '192.0.2.0'),
    null,
    'a network with the most of them gets no more',
  )
  rateLimits.markTaking('0', true)
  assert.deepEqual(
    rateLimits.open('101', '198.51.100.1'),
    { ends: ['1'] },
    'one that sends a mail stays',
  )
  for (let session = 2; session < 100; session++) rateLimits.markTaking(String(session), true)
  assert.deepEqual(
    rateLimits.open('102', '198.51.100.2'),
    { ends: ['0'] },
    'a slow mail of many goes too',
  )
})

test('where memory is missing, mails that have come for half a minute end, and no others', () => {
  let nowMs = 0
  const rateLimits = createConnectionLimits({ monotonicMs: () => nowMs })
  for (const session of ['slow', 'younger', 'idle']) rateLimits.open(session, '192.0.2.1')
  rateLimits.markTaking('slow', true)
  nowMs = 1
  rateLimits.markTaking('younger', true)
  nowMs = 30_000
  assert.deepEqual(rateLimits.endOverdue(), ['slow'])
  rateLimits.markTaking('younger', false)
  nowMs = 60_000
  assert.deepEqual(rateLimits.endOverdue(), [])
})

test('a connection from each of a hundred networks: idle ones end for another, those that send a mail stay for half a minute', () => {
  let nowMs = 0
  const rateLimits = createConnectionLimits({ monotonicMs: () => nowMs })
  for (let session = 0; session < 100; session++)
    rateLimits.open(String(session), `192.0.2.${session}`)
  assert.deepEqual(rateLimits.open('100', '198.51.100.1'), { ends: ['0'] })
  for (let session = 1; session <= 100; session++) rateLimits.markTaking(String(session), true)
  nowMs = 29_999
  rateLimits.markTaking('100', true)
  assert.equal(rateLimits.open('101', '198.51.100.2'), null)
  nowMs = 30_000
  assert.deepEqual(
    rateLimits.open('101', '198.51.100.2')?.ends,
    Array.from({ length: 99 }, (_, index) => String(index + 1)),
    'slow mails of a hundred networks do not close the port',
  )
})
