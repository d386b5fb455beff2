/**
 * The inbound role as a process of its own: killed at any step, the sender retries the mail, and
 * its feedback is stored once.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { call } from '../support/fault-calls.ts'
import { createDraw } from '../support/fault-draw.ts'
import { restartPort } from '../support/fault-port.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import { handIn, talkTo } from '../support/smtp-talk.ts'
import { deliveryReport, inboundDomain, noSuchUser } from './world.ts'

const world = await openWorld({ seed: 1, draw: createDraw(1), whole: false, broken: null, after })
const apiPort = await restartPort()
const inboundPort = await restartPort()
const healthPort = await restartPort()
await world.start({
  role: 'api',
  port: apiPort,
  settings: { FACTEUR_INBOUND_DOMAIN: inboundDomain },
})

const startInbound = (failpoints: string[] = []) =>
  world.start({
    role: 'inbound',
    failpoints,
    settings: {
      FACTEUR_INBOUND_DOMAIN: inboundDomain,
      FACTEUR_INBOUND_PORT: inboundPort,
      FACTEUR_INBOUND_HOST: '127.0.0.1',
      FACTEUR_HEALTH_PORT: healthPort,
      FACTEUR_STOP_SECONDS: 5,
    },
  })

/** Handed over by the API process; answers where its bounces go. */
async function returnPathOf(to: string): Promise<string> {
  const end = await call({
    url: world.addressOf(apiPort),
    apiKey: world.apiKey,
    line: 'POST /api/v1/emails',
    body: mailTo(world, to),
  })
  assert.ok(typeof end !== 'string' && end.status === 202)
  return world.mails().findLast((mail) => mail.to[0] === to)?.from ?? ''
}

async function outcomeOf(email: string): Promise<{ status: string; notices: number }> {
  const [row] = await world.db.rows<{ status: string; notices: number }>(sql`
    select r.status, (select count(*)::int from feedback f
      where f.workspace_id = ${world.workspaceId} and f.message_id = r.message_id and f.position = r.position) as notices
    from recipient r where r.workspace_id = ${world.workspaceId} and r.address_key = ${email}`)
  assert.ok(row)
  return row
}

for (const [location, notices] of [
  ['inbound.before_read', 0],
  ['inbound.before_answer', 1],
] as const) {
  test(`killed at ${location}: no 250; handed in again its feedback is stored, once`, async () => {
    const email = `${location.replaceAll(/\W/g, '-')}@example.test`
    const mail = { to: await returnPathOf(email), bytes: deliveryReport(noSuchUser) }
    const doomed = await startInbound([`${location}:kill`])
    assert.equal(await handIn(inboundPort, mail), 'closed')
    assert.equal(await doomed.ended, 'SIGKILL')
    assert.equal((await outcomeOf(email)).notices, notices)
    const next = await startInbound()
    assert.match(await handIn(inboundPort, mail), /^250/)
    assert.deepEqual(await outcomeOf(email), { status: 'bounced', notices: 1 })
    await next.kill()
  })
}

test('an error of ours: 451, and 250 for the next try', async () => {
  const email = 'error@example.test'
  const mail = { to: await returnPathOf(email), bytes: deliveryReport(noSuchUser) }
  const inbound = await startInbound(['inbound.before_read:throw@1'])
  assert.match(await handIn(inboundPort, mail), /^451 4\.3\.0/)
  assert.match(await handIn(inboundPort, mail), /^250/)
  assert.deepEqual(await outcomeOf(email), { status: 'bounced', notices: 1 })
  await inbound.kill()
})

test('on a stop a mail under way is taken, a connection without one gets 421, and the process ends in time', async () => {
  const email = 'stopping@example.test'
  const mail = { to: await returnPathOf(email), bytes: deliveryReport(noSuchUser) }
  const inbound = await startInbound()
  const idle = await talkTo(inboundPort)
  await idle.heard()
  const talk = await talkTo(inboundPort)
  await talk.heard()
  await talk.say('EHLO mx.example.test')
  await talk.say('MAIL FROM:<>')
  await talk.say(`RCPT TO:<${mail.to}>`)
  assert.match(await talk.say('DATA'), /^354/)
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
  assert.match(metrics, /# TYPE facteur_returned_mails_total counter/)
  inbound.signal('SIGTERM')
  await talk.send(`${mail.bytes}\r\n.\r\n`)
  assert.match(await talk.heard(), /^250/)
  assert.match(await idle.heard(), /^421 4\.3\.2/)
  assert.equal(await inbound.ended, 0)
  assert.deepEqual(await outcomeOf(email), { status: 'bounced', notices: 1 })
})
