/**
 * Thousands of mails at the inbound port: forged ones change nothing, and one network has its share
 * of a minute.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { sql } from '../../src/database/client/sql.ts'
import { serveInbound, type InboundEnd } from '../../src/entrypoints/inbound/serve-inbound.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { handIn, handInAll, talkTo, type Talk } from '../support/smtp-talk.ts'
import { until } from '../support/until.ts'
import { quietly } from './quietly.ts'
import {
  deliveryReport,
  inboundDomain,
  noSuchUser,
  recipientsNow,
  relayedTo,
  startRelayedWorld,
} from './world.ts'

const logged: { fields: object; message: string }[] = []
const keep = (fields: object, message: string): void => void logged.push({ fields, message })
const log = { debug: () => undefined, info: keep, warn: keep, error: keep }
const world = await startRelayedWorld({ log }, { tls: testCertificate })
const shop = await world.workspace('Refused returns')
const ours = await relayedTo(world, shop, ['person@example.com'])
const to = ours.returnPaths[0] ?? ''

async function opened(): Promise<Talk> {
  const talk = await talkTo(world.port)
  await talk.heard()
  await talk.say('EHLO mx.example.test')
  return talk
}

test('10,000 forged notices: nothing changes, nothing is stored, and a true one is processed at once', async () => {
  const target = await relayedTo(world, shop, ['forged@example.com'])
  const [local = ''] = (target.returnPaths[0] ?? '').split('@')
  world.ends.length = 0
  const forge = async (from: number): Promise<void> => {
    for (let n = from; n < from + 500; n += 10) {
      const talk = await opened()
      // In one write, as who floods does it: ten addresses, and the end of the connection.
      const tries = Array.from({ length: 10 }, (_, of) =>
        (n + of).toString(32).replaceAll(/[01]/g, 'z').padStart(12, 'a'),
      )
      await talk.send(
        `MAIL FROM:<>\r\n${tries.map((end) => `RCPT TO:<${local.slice(0, 40)}${end}@${inboundDomain}>\r\n`).join('')}`,
      )
      while ((await talk.heard()) !== 'closed');
    }
  }
  await quietly('forgeries', async () => {
    world.ends.length = 0
    await Promise.all(Array.from({ length: 20 }, (_, of) => forge(of * 500)))
  })
  assert.equal(world.ends.filter((end) => end === 'bad_address').length, 10_000)
  assert.equal((await recipientsNow(world, shop, target.id))[0]?.status, 'sent')
  assert.match(
    await handIn(world.port, {
      to: target.returnPaths[0] ?? '',
      bytes: deliveryReport(noSuchUser),
    }),
    /^250/,
  )
  assert.equal((await recipientsNow(world, shop, target.id))[0]?.status, 'bounced')
  const stored = await world.service.db.rows(
    sql`select 1 from feedback where workspace_id = ${shop.id} and message_id = ${target.id}`,
  )
  assert.equal(stored.length, 1)
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

test('the 6,001st mail of one address within a minute gets 451, and its sender queues it', async (t) => {
  // The minute lasts as long as the mails take.
  const { port, ends } = await servedApart(t, { ...systemClock, monotonicMs: () => 0 })
  const mails = Array.from({ length: 300 }, () => ({
    to,
    bytes: 'Subject: Thank you\r\n\r\nThank you',
  }))
  await Promise.all(Array.from({ length: 20 }, () => handInAll(port, mails)))
  assert.equal(ends.length, 6_000)
  assert.ok(!ends.includes('too_many'))
  assert.match(await handIn(port, { to, bytes: deliveryReport(noSuchUser) }), /^451 4\.7\.0/)
  assert.equal(ends.at(-1), 'too_many')
  assert.equal((await recipientsNow(world, shop, ours.id))[0]?.status, 'sent')
})

test('slow mails of thirty networks fill the memory: after half a minute they end for another, which is 451 once', async (t) => {
  let nowMs = 0
  const { port } = await servedApart(t, { ...systemClock, monotonicMs: () => nowMs })
  const begin = async (from: string): Promise<Talk> => {
    const talk = await talkTo(port, from)
    for (const line of ['EHLO mx.example.test', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA']) {
      await talk.heard()
      await talk.send(`${line}\r\n`)
    }
    assert.match(await talk.heard(), /^354/)
    return talk
  }
  const notice = deliveryReport(noSuchUser)
  const slow: Talk[] = []
  // Each network takes nearly a third of what the others left, until a notice finds no room.
  for (let network = 2, left = 64_000_000; left > notice.length; network++, left *= 0.7) {
    for (let bytes = 0.3 * left; bytes > 0; bytes -= 1_900_000) {
      const talk = await begin(`127.0.1.${network}`)
      slow.push(talk)
      await talk.send(`Subject: x\r\n\r\n${'a'.repeat(Math.min(bytes, 1_900_000))}`)
    }
  }
  const next = async (): Promise<string> => {
    const talk = await begin('127.0.2.1')
    await talk.send(`${notice}\r\n.\r\n`)
    const reply = await talk.heard()
    talk.close()
    return reply
  }
  await until(next, (reply) => reply.startsWith('451 4.3.2'))
  nowMs = 30_000
  await next()
  for (const talk of slow) {
    assert.match(await talk.heard(), /^421 4\.3\.2/)
    talk.close()
  }
  await until(next, (reply) => reply.startsWith('250'))
})
