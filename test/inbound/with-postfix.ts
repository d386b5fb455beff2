/**
 * The whole loop with a relay that others wrote: Postfix takes our mail, and what it has to say of
 * it comes back by mail.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { sql } from '../../src/database/client/sql.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { addSubscribers, draftOf, send, untilCampaign } from '../support/campaign-world.ts'
import { ask, textAt } from '../support/ask.ts'
import { freePort } from '../support/free-port.ts'
import { startPostfix, whyNoPostfix } from '../support/postfix.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { inboundDomain, recipientsNow, startInboundWorld } from './world.ts'
import { until } from '../support/until.ts'

const options = { skip: whyNoPostfix }
/** The recipients' server. It knows nothing of notices: what it takes is "relayed" for Postfix. */
const elsewhere = await startScriptedPeer({
  offers: ['PIPELINING'],
  script: ({ phase, line }) => {
    if (phase !== 'rcpt') return undefined
    if (line.includes('@unknown.test')) return '550 5.1.1 User unknown in virtual mailbox table'
    if (line.includes('@full.test')) return '552 5.2.2 The mailbox is full'
    return line.includes('@policy.test') ? '554 5.7.1 We do not want this' : undefined
  },
})
after(() => elsewhere.close())
const inboundPort = await freePort()
const relayPort = whyNoPostfix === false ? await startRelay() : 0
const provider: Provider = createSmtpRelay({
  relay: { host: '127.0.0.1', port: relayPort, tls: 'none' },
  clock: systemClock,
})
const world = await startInboundWorld({ provider }, { port: inboundPort })
const shop = await world.workspace('Postfix returns')

function startRelay(): Promise<number> {
  const routes = [
    `{ ${inboundDomain} = smtp:[127.0.0.1]:${inboundPort} }`,
    ...['elsewhere', 'unknown', 'full', 'policy'].map(
      (name) => `{ ${name}.test = smtp:[127.0.0.1]:${elsewhere.port} }`,
    ),
    '{ here.test = discard: }',
  ]
  return startPostfix({ after }, [
    'mydestination =',
    'relay_domains =',
    `transport_maps = inline:{ ${routes.join(', ')} }`,
  ])
}

/** Until the recipients stand so. */
async function untilStatuses(id: string, expected: string[]): Promise<void> {
  const statuses = async () => (await recipientsNow(world, shop, id)).map(({ status }) => status)
  await until(statuses, (observed) => JSON.stringify(observed) === JSON.stringify(expected))
}

test(
  'each notice of Postfix lands on the recipient that it is of, by the envelope alone',
  options,
  async () => {
    const to = ['a@unknown.test', 'b@full.test', 'c@policy.test', 'd@here.test', 'e@elsewhere.test']
    const answer = await ask(world.baseUrl, 'POST /api/v1/emails', {
      key: shop.key,
      body: { from: `hello@${shop.domain}`, to, subject: 'Hello', text: 'Hello' },
    })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const id = textAt(answer, 'id')
    await untilStatuses(id, ['bounced', 'failed', 'failed', 'delivered', 'sent'])
    const recipients = await recipientsNow(world, shop, id)
    assert.match(recipients[0]?.error ?? '', /User unknown/)
    assert.match(recipients[2]?.error ?? '', /We do not want this/)
    const closed = await world.service.db.rows<{ email: string; reason: string }>(sql`
    select email, reason from suppression where workspace_id = ${shop.id}`)
    assert.deepEqual(closed, [{ email: 'a@unknown.test', reason: 'bounce' }])
    // All of it came by mail. "Relayed" is reported as well, and is no delivery.
    await until(() => world.ends.length >= 5)
    assert.deepEqual(world.ends.toSorted(), ['bounced', 'bounced', 'bounced', 'delivered', 'sent'])
  },
)

test(
  'a campaign of 200 of whom 6 do not exist: those bounce, and no notice of a success comes',
  options,
  async () => {
    await addSubscribers(world, shop, 200)
    // Few enough that the campaign goes on.
    await world.run(`update subscriber set email = replace(email, 'example.com',
    case when email ~ '^person(?:25|50|75|100|125|150)@' then 'unknown.test' else 'here.test' end) where workspace_id = ${shop.id}`)
    world.ends.length = 0
    const id = await draftOf(world, shop)
    assert.equal((await send(world, shop, id)).status, 202)
    await untilCampaign(world, shop, id, ({ status }) => status === 'sent')
    const bounced = () =>
      world.service.db.count(sql`
      select from campaign_recipient where workspace_id = ${shop.id} and campaign_id = ${id} and status = 'bounced'`)
    await until(bounced, (observed) => observed === 6)
    // A conversation ends after what it brought is recorded.
    await until(() => world.ends.length >= 6)
    const wrong = await world.service.db.rows(sql`
    select email, status from campaign_recipient where workspace_id = ${shop.id} and campaign_id = ${id}
      and (status = 'bounced') <> (email like '%unknown.test')`)
    assert.deepEqual(wrong, [])
    assert.deepEqual(
      world.ends,
      Array.from({ length: 6 }, () => 'bounced'),
    )
  },
)
