/** Mail that comes back changes only the recipient whom its address names, for any content. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { addSubscribers, draftOf, send, untilCampaign } from '../support/campaign-world.ts'
import { sentCampaign } from '../support/tracking-world.ts'
import { ask } from '../support/ask.ts'
import { handIn } from '../support/smtp-talk.ts'
import {
  complaint,
  deliveryReport,
  inboundDomain,
  noSuchUser,
  recipientsNow,
  relayedTo,
  startInboundWorld,
  startRelayedWorld,
} from './world.ts'
import { until } from '../support/until.ts'

// Days pass here: no delivery is to be assumed.
const world = await startRelayedWorld({ settings: { deliveredAfterSeconds: 0 } })
const captured = await startInboundWorld()
const shop = await world.workspace('Returns')
const list = await captured.workspace('Returned campaigns')
const other = await world.workspace('Returns elsewhere')

const statusesOf = async (id: string): Promise<string[]> =>
  (await recipientsNow(world, shop, id)).map(({ status }) => status)

async function suppressionOf(email: string): Promise<unknown> {
  const answer = await ask(world.baseUrl, `GET /api/v1/suppression?email=${email}`, {
    key: shop.key,
  })
  const { data } = answer.body as { data: { reason: string }[] }
  return data[0]?.reason ?? null
}

test('a bounce to the return path: that recipient of the message bounces and is suppressed, the others stay', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, [
    'a1@example.com',
    'a2@example.com',
    'a3@example.com',
  ])
  assert.equal(new Set(returnPaths).size, 3)
  assert.ok(
    returnPaths.every((path) => path.endsWith(`@${inboundDomain}`) && path.indexOf('@') <= 64),
  )
  // It came back in capitals, as some servers make of addresses.
  const reply = await handIn(world.port, {
    to: (returnPaths[1] ?? '').toUpperCase(),
    bytes: deliveryReport(noSuchUser),
  })
  assert.match(reply, /^250/)
  const [first, second, third] = await recipientsNow(world, shop, id)
  assert.deepEqual(second, {
    email: 'a2@example.com',
    status: 'bounced',
    error: '550 5.1.1 No such user here',
  })
  assert.ok([first, third].every((now) => now?.status !== 'bounced'))
  assert.equal(await suppressionOf('a2@example.com'), 'bounce')
  assert.equal(await suppressionOf('person@example.com'), null)
})

for (const [name, fields, status, error] of [
  [
    'full',
    'Action: failed\nStatus: 4.2.2\nDiagnostic-Code: smtp; 452 4.2.2 Mailbox full',
    'failed',
    '452 4.2.2 Mailbox full',
  ],
  [
    'policy',
    'Action: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 550 5.7.1 Spam',
    'failed',
    '550 5.7.1 Spam',
  ],
  [
    'delayed',
    'Action: delayed\nStatus: 4.4.1\nWill-Retry-Until: Tue, 1 Dec 2026 00:00:00 +0000',
    'sent',
    null,
  ],
  ['relayed', 'Action: relayed\nStatus: 2.0.0', 'sent', null],
  ['expanded', 'Action: expanded\nStatus: 2.0.0', 'sent', null],
  ['delivered', 'Action: delivered\nStatus: 2.0.0', 'delivered', null],
  ['unheard-of', 'Action: pondered\nStatus: 5.1.1', 'sent', null],
] as const) {
  test(`a notice that says ${name}: the recipient is ${status}, and the address is not suppressed`, async () => {
    const email = `${name}@example.com`
    const { id, returnPaths } = await relayedTo(world, shop, [email])
    assert.match(
      await handIn(world.port, { to: returnPaths[0] ?? '', bytes: deliveryReport(fields) }),
      /^250/,
    )
    assert.deepEqual(await recipientsNow(world, shop, id), [{ email, status, error }])
    assert.equal(await suppressionOf(email), null)
  })
}

test('several groups in one notice, as an alias makes them: one that went well, or one that is no missing address, decides', async () => {
  const missing = 'Final-Recipient: rfc822; one@example.com\nAction: failed\nStatus: 5.1.1'
  for (const [also, status] of [
    ['Final-Recipient: rfc822; two@example.com\nAction: delivered\nStatus: 2.0.0', 'delivered'],
    ['Final-Recipient: rfc822; two@example.com\nAction: failed\nStatus: 5.2.2', 'failed'],
  ] as const) {
    const email = `alias-${status}@example.com`
    const { id, returnPaths } = await relayedTo(world, shop, [email])
    await handIn(world.port, {
      to: returnPaths[0] ?? '',
      bytes: deliveryReport(`${missing}\n\n${also}`),
    })
    assert.deepEqual(await statusesOf(id), [status])
    assert.equal(await suppressionOf(email), null)
  }
})

for (const [type, reason] of [
  ['abuse', 'complaint'],
  ['fraud', 'complaint'],
  ['not-spam', null],
  ['other', null],
  ['auth-failure', null],
] as const) {
  test(`a feedback report of type ${type}: ${reason === null ? 'no address is suppressed' : 'that recipient complained, and not the one it names'}`, async () => {
    const { id, returnPaths } = await relayedTo(world, shop, [`${type}@example.com`])
    assert.match(
      await handIn(world.port, {
        from: 'fbl@mailbox.example.test',
        to: returnPaths[0] ?? '',
        bytes: complaint(type),
      }),
      /^250/,
    )
    assert.equal((await statusesOf(id))[0] === 'complained', reason !== null)
    assert.equal(await suppressionOf(`${type}@example.com`), reason)
    assert.equal(await suppressionOf('victim@example.com'), null)
  })
}

test('out of office, a thank you, an empty mail: nothing changes, and the sender is not answered twice', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, ['away@example.com'])
  for (const bytes of [
    'From: away@example.com\r\nSubject: Out of office: failure notice\r\nAuto-Submitted: auto-replied\r\n\r\n550 5.1.1 is the number of our house',
    'From: away@example.com\r\nSubject: Re: Hello\r\n\r\nThank you! User unknown is a funny name.',
    'From: away@example.com\r\n\r\n',
  ]) {
    assert.match(await handIn(world.port, { to: returnPaths[0] ?? '', bytes }), /^250/)
  }
  assert.deepEqual(await statusesOf(id), ['sent'])
  assert.equal(await suppressionOf('away@example.com'), null)
  assert.deepEqual(world.ends.slice(-3), ['automatic', 'no_report', 'no_report'])
})

test('qmail and Exim write plain text: their bounces are classified by the reply that they quote', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, ['q@example.com', 'e@example.com'])
  const qmail = `From: MAILER-DAEMON@q.test\r\nSubject: failure notice\r\n\r\nHi. This is the qmail-send program at q.test.\r\nI'm afraid I wasn't able to deliver your message to the following addresses.\r\nThis is a permanent error; I've given up. Sorry it didn't work out.\r\n\r\n<victim@example.com>:\r\n192.0.2.1 does not like recipient.\r\nRemote host said: 550 5.1.1 <victim@example.com>: user unknown\r\nGiving up on 192.0.2.1.\r\n\r\n--- Below this line is a copy of the message.\r\n\r\nSubject: 452 full`
  const exim = `From: Mail Delivery System <Mailer-Daemon@e.test>\r\nX-Failed-Recipients: victim@example.com\r\nAuto-Submitted: auto-replied\r\nSubject: Mail delivery failed: returning message to sender\r\n\r\nThis message was created automatically by mail delivery software.\r\n\r\n  victim@example.com\r\n    host mx.e.test [192.0.2.2]\r\n    SMTP error from remote mail server after RCPT TO:<victim@example.com>:\r\n    550 No such user here\r\n`
  assert.match(await handIn(world.port, { to: returnPaths[0] ?? '', bytes: qmail }), /^250/)
  assert.match(await handIn(world.port, { to: returnPaths[1] ?? '', bytes: exim }), /^250/)
  assert.deepEqual(await statusesOf(id), ['bounced', 'bounced'])
  assert.equal(await suppressionOf('victim@example.com'), null)
})

test('the same notice again, and two at once: one piece of feedback', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, ['twice@example.com'])
  const mail = { to: returnPaths[0] ?? '', bytes: deliveryReport(noSuchUser) }
  await Promise.all([handIn(world.port, mail), handIn(world.port, mail), handIn(world.port, mail)])
  const stored = await world.service.db.rows(sql`
    select 1 from feedback where workspace_id = ${shop.id} and message_id = ${id} and source = 'dsn'`)
  assert.equal(stored.length, 1)
  assert.deepEqual(world.ends.slice(-3).toSorted(), ['bounced', 'repeated', 'repeated'])
})

test('a notice more than 14 days after the hand-off changes nothing; a complaint may come for 180 days', async () => {
  const { id, returnPaths } = await relayedTo(world, shop, [
    'late@example.com',
    'later@example.com',
  ])
  await world.moveClock('15 days')
  await handIn(world.port, { to: returnPaths[0] ?? '', bytes: deliveryReport(noSuchUser) })
  assert.equal(world.ends.at(-1), 'too_old')
  await handIn(world.port, { to: returnPaths[0] ?? '', bytes: complaint('abuse') })
  assert.deepEqual(await statusesOf(id), ['complained', 'sent'])
  await world.moveClock('181 days')
  await handIn(world.port, { to: returnPaths[1] ?? '', bytes: complaint('abuse') })
  assert.equal(world.ends.at(-1), 'too_old')
  assert.deepEqual(await statusesOf(id), ['complained', 'sent'])
  await world.moveClock('0')
})

test('mail of a domain whose own return path was found comes back by it', async () => {
  const own = await world.workspace('Own return path')
  const host = `bounce.${own.domain}`
  await world.service.db.count(sql`
    insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
    values (${own.id}, ${own.domain}, ${host}, 'MX', 'return_path', 'found', '{}', true, 0, facteur_now())`)
  const { id, returnPaths } = await relayedTo(world, own, ['own@example.com'])
  assert.equal(returnPaths[0]?.split('@')[1], host)
  assert.match(
    await handIn(world.port, { to: returnPaths[0] ?? '', bytes: deliveryReport(noSuchUser) }),
    /^250/,
  )
  assert.equal((await recipientsNow(world, own, id))[0]?.status, 'bounced')
})

test("a campaign: each copy has its own return path and mailto; a bounce, and a mail to unsubscribe, are that subscriber's", async () => {
  await addSubscribers(captured, list, 4)
  const id = await draftOf(captured, list)
  assert.equal((await send(captured, list, id)).status, 202)
  await untilCampaign(captured, list, id, ({ status }) => status === 'sent')
  const copies = await captured.service.db.rows<{
    recipient: string
    returnPath: string
    raw: Buffer
  }>(sql`
    select recipient, return_path, raw from captured_mail
    where workspace_id = ${list.id} and campaign_id = ${id} order by recipient`)
  assert.equal(new Set(copies.map(({ returnPath }) => returnPath)).size, 4)
  const [bouncing, leaving] = copies
  await handIn(captured.port, { to: bouncing?.returnPath ?? '', bytes: deliveryReport(noSuchUser) })
  assert.equal(captured.ends.at(-1), 'bounced')
  const [, link, mailto] =
    /^List-Unsubscribe: <(https?:[^>]+)>,\r\n <mailto:([^>?]+)\?subject=unsubscribe>\r\n/m.exec(
      leaving?.raw.toString() ?? '',
    ) ?? []
  assert.ok(link?.includes('/unsubscribe/'))
  assert.ok(mailto?.endsWith(`@${inboundDomain}`))
  assert.match(
    leaving?.raw.toString() ?? '',
    /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
  )
  await handIn(captured.port, {
    from: 'anybody@example.org',
    to: mailto ?? '',
    bytes: 'Subject: unsubscribe\r\n\r\n',
  })
  assert.equal(captured.ends.at(-1), 'unsubscribed')
  const contacts = await captured.service.db.rows<{ email: string; status: string }>(sql`
    select email, status from subscriber where workspace_id = ${list.id} order by email`)
  assert.deepEqual(contacts, [
    { email: 'person1@example.com', status: 'bounced' },
    { email: 'person2@example.com', status: 'unsubscribed' },
    { email: 'person3@example.com', status: 'subscribed' },
    { email: 'person4@example.com', status: 'subscribed' },
  ])
  const [consent] = await captured.service.db.rows(sql`
    select source, campaign_id from consent_evidence where workspace_id = ${list.id} and email = 'person2@example.com' and act = 'unsubscribed'`)
  assert.deepEqual(consent, { source: 'mailto', campaignId: id })
  const unsubscribed = await ask(captured.baseUrl, `GET /api/v1/campaigns/${id}`, { key: list.key })
  assert.partialDeepStrictEqual(unsubscribed.body, { counts: { unsubscribed: 1 } })
})

test('a delivery status report to the unsubscribe address unsubscribes no contact', async () => {
  const { id: campaignId, contacts } = await sentCampaign(captured, list, { contacts: 1 })
  const subscriberId = contacts[0] ?? ''
  const { verp, db } = captured.service
  const local = verp.make('unsubscribe', { workspaceId: list.id, campaignId, subscriberId })
  const reply = await handIn(captured.port, {
    to: `${local}@${inboundDomain}`,
    bytes: deliveryReport(noSuchUser),
  })
  assert.match(reply, /^250/)
  assert.equal(captured.ends.at(-1), 'no_report')
  const rows = await db.rows(
    sql`select status from subscriber where workspace_id = ${list.id} and id = ${subscriberId}`,
  )
  assert.deepEqual(rows, [{ status: 'subscribed' }])
})

test('our own notice, such as a request to confirm, comes back as well', async () => {
  const answer = await ask(captured.baseUrl, 'POST /api/v1/subscribers', {
    key: list.key,
    body: { email: 'new@example.com' },
  })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const rows = () =>
    captured.service.db.rows<{ returnPath: string }>(sql`
      select return_path from captured_mail where workspace_id = ${list.id} and recipient = 'new@example.com'`)
  const path = await until(async () => (await rows())[0]?.returnPath)
  assert.match(await handIn(captured.port, { to: path, bytes: deliveryReport(noSuchUser) }), /^250/)
  const [contact] = await captured.service.db.rows(sql`
    select status from subscriber where workspace_id = ${list.id} and email = 'new@example.com'`)
  assert.deepEqual(contact, { status: 'bounced' })
})

test("a token says which workspace: another's message with the same id is not touched", async () => {
  const { id } = await relayedTo(world, shop, ['mine@example.com'])
  const token = world.service.verp.make('bounce', {
    workspaceId: other.id,
    messageId: id,
    position: 0,
  })
  assert.match(
    await handIn(world.port, {
      to: `${token}@${inboundDomain}`,
      bytes: deliveryReport(noSuchUser),
    }),
    /^250/,
  )
  assert.equal(world.ends.at(-1), 'unknown')
  assert.deepEqual(await statusesOf(id), ['sent'])
})
