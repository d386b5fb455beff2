/**
 * Each event of Amazon SES changes its recipient once, in any order and however often it arrives.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readSesEvent,
  type SesFeedback,
} from '../../src/core/feedback/amazon-ses/read-ses-event.ts'
import { sql } from '../../src/database/client/sql.ts'
import { storePace } from '../../src/db/sending/provider-rates.ts'
import { ask, assertRefused } from '../support/ask.ts'
import type { SentBySes } from '../support/aws-stand-in.ts'
import { at } from '../support/json.ts'
import { bounceOf, eventOf, startSesWorld } from './ses-world.ts'

const world = await startSesWorld()
const home = await world.workspace('ses-events')
const post = (event: object): Promise<number> => world.post(world.sns.notice(event))

const delivery = (mail: SentBySes): object =>
  eventOf(mail, 'Delivery', {
    delivery: {
      timestamp: new Date().toISOString(),
      processingTimeMillis: 900,
      smtpResponse: '250 2.0.0 OK',
      recipients: mail.to,
    },
  })
const complaint = (mail: SentBySes, changes: object = {}): object =>
  eventOf(mail, 'Complaint', {
    complaint: {
      feedbackId: `complaint ${mail.messageId}`,
      complaintFeedbackType: 'abuse',
      complaintSubType: null,
      ...changes,
    },
  })

const statusOf = async (id: string): Promise<string> => (await world.row(home, id)).status
const suppressionOf = async (mail: SentBySes): Promise<unknown> => {
  const answer = await ask(world.baseUrl, `GET /api/v1/suppression?email=${mail.to[0]}`, {
    key: home.key,
  })
  return at(answer.body, 'data', '0', 'reason')
}

const ends: [
  title: string,
  event: (mail: SentBySes) => object,
  status: string,
  suppressed: string | undefined,
  error: RegExp | null,
][] = [
  ['Delivery', delivery, 'delivered', undefined, null],
  ['Complaint', complaint, 'complained', 'complaint', /complained: abuse/],
  ['Bounce, no such mailbox', bounceOf, 'bounced', 'bounce', /550 5\.1\.1/],
  [
    'Bounce, on the list of SES',
    (mail) => bounceOf(mail, { bounceSubType: 'Suppressed' }),
    'bounced',
    'bounce',
    /Suppressed/,
  ],
  [
    "Bounce, on the account's list",
    (mail) => bounceOf(mail, { bounceSubType: 'OnAccountSuppressionList' }),
    'failed',
    undefined,
    /OnAccount/,
  ],
  [
    'Bounce, general, for policy',
    (mail) =>
      bounceOf(mail, {
        bounceSubType: 'General',
        bouncedRecipients: [
          { status: '5.7.1', diagnosticCode: 'smtp; 554 5.7.1 Message looks like spam' },
        ],
      }),
    'failed',
    undefined,
    /5\.7\.1/,
  ],
  [
    'Bounce, general, no such user',
    (mail) => bounceOf(mail, { bounceSubType: 'General' }),
    'bounced',
    'bounce',
    /5\.1\.1/,
  ],
  [
    'Bounce, a full mailbox',
    (mail) =>
      bounceOf(mail, {
        bounceType: 'Transient',
        bounceSubType: 'MailboxFull',
        bouncedRecipients: [],
      }),
    'failed',
    undefined,
    /Transient\/MailboxFull/,
  ],
  [
    'Bounce, content refused',
    (mail) =>
      bounceOf(mail, {
        bounceType: 'Transient',
        bounceSubType: 'ContentRejected',
        bouncedRecipients: [],
      }),
    'failed',
    undefined,
    /ContentRejected/,
  ],
  [
    'Bounce, undetermined',
    (mail) => bounceOf(mail, { bounceType: 'Undetermined', bounceSubType: 'Undetermined' }),
    'failed',
    undefined,
    /Undetermined/,
  ],
  [
    'Reject',
    (mail) => eventOf(mail, 'Reject', { reject: { reason: 'Bad content' } }),
    'failed',
    undefined,
    /Bad content/,
  ],
  [
    'Rendering Failure',
    (mail) =>
      eventOf(mail, 'Rendering Failure', { failure: { errorMessage: 'Attribute is not present' } }),
    'failed',
    undefined,
    /Attribute/,
  ],
  [
    'DeliveryDelay',
    (mail) =>
      eventOf(mail, 'DeliveryDelay', {
        deliveryDelay: { delayType: 'MailboxFull', delayedRecipients: [{ status: '4.2.2' }] },
      }),
    'sent',
    undefined,
    null,
  ],
  [
    'Open, which is not used',
    (mail) => eventOf(mail, 'Open', { open: { userAgent: 'x' } }),
    'sent',
    undefined,
    null,
  ],
  [
    'Click, which is not used',
    (mail) => eventOf(mail, 'Click', { click: { link: 'https://example.com' } }),
    'sent',
    undefined,
    null,
  ],
  ['a kind of tomorrow', (mail) => eventOf(mail, 'Tomorrow'), 'sent', undefined, null],
  [
    'Complaint, a report that it is no spam',
    (mail) => complaint(mail, { complaintFeedbackType: 'not-spam' }),
    'sent',
    undefined,
    null,
  ],
  [
    'Complaint, not sent for an earlier one',
    (mail) => complaint(mail, { complaintSubType: 'OnAccountSuppressionList' }),
    'failed',
    undefined,
    /OnAccount/,
  ],
]
for (const [title, event, status, suppressed, error] of ends) {
  test(`${title}: ${status}${suppressed ? `, and suppressed as ${suppressed}` : ', and no address is suppressed'}`, async () => {
    const { id, mail } = await world.mailOf(home)
    assert.equal(await post(eventOf(mail, 'Send', { send: {} })), 200)
    assert.equal(await post(event(mail)), 200)
    const row = await world.row(home, id)
    assert.equal(row.status, status)
    if (error === null) assert.equal(row.error, null)
    else assert.match(row.error ?? '', error)
    assert.equal(await suppressionOf(mail), suppressed)
  })
}

test('403 reputation_blocked: the complaint above 0.1 % that SNS posts suspends the workspace; forged and repeated ones do not', async () => {
  const workspace = await world.workspace('ses-suspended')
  const mails = [
    await world.mailOf(workspace),
    await world.mailOf(workspace),
    await world.mailOf(workspace),
  ].map(({ mail }) => mail)
  const [first, second, third] = mails
  assert.ok(first && second && third)
  await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
  const sending = async (): Promise<unknown> =>
    at(
      (await ask(world.baseUrl, 'GET /api/v1/me', { key: workspace.key })).body,
      'sending',
      'status',
    )
  const genuine = world.sns.notice(complaint(first))
  assert.equal(await world.post(genuine), 200)
  assert.equal(await world.post(genuine), 200, 'a repeated notice')
  assert.equal(
    await post(complaint(first, { feedbackId: 'another' })),
    200,
    'a second complaint about the same mail',
  )
  const other = world.sns.notice(complaint(third))
  assert.equal(
    await world.post({ ...other, Message: JSON.stringify(complaint(second)) }),
    403,
    'another body than the signed one',
  )
  assert.equal(
    await post(eventOf(second, 'Complaint', { complaint: { feedbackId: 'x' } }, {})),
    403,
    'without our tag',
  )
  assert.equal(
    await sending(),
    'active',
    'one contact complained, and the rule asks for more than 0.1 %',
  )
  assert.equal(await post(complaint(second)), 200)
  assert.equal(await sending(), 'suspended')
  const refused = await ask(world.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: { from: `hello@${workspace.domain}`, to: 'next@example.com', subject: 'x', text: 'x' },
  })
  assertRefused(refused, 'reputation_blocked')
  assert.equal(refused.status, 403)
})

test('the time of a delivery is the one that SES reports', async () => {
  const { id, mail } = await world.mailOf(home)
  const timestamp = new Date().toISOString()
  await post(eventOf(mail, 'Delivery', { delivery: { timestamp } }))
  const answer = await ask(world.baseUrl, `GET /api/v1/emails/${id}`, { key: home.key })
  assert.equal(at(answer.body, 'delivered_at'), timestamp)
})

function orders<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) =>
    orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  )
}

test('in any order and with each notice twice, the end is the same', async () => {
  const reported = [
    (mail: SentBySes) => eventOf(mail, 'Send', { send: {} }),
    delivery,
    complaint,
    (mail: SentBySes) =>
      bounceOf(mail, { bounceType: 'Transient', bounceSubType: 'General', bouncedRecipients: [] }),
  ]
  for (const order of orders(reported)) {
    const { id, mail } = await world.mailOf(home)
    for (const event of order) {
      const notice = world.sns.notice(event(mail))
      assert.deepEqual([await world.post(notice), await world.post(notice)], [200, 200])
    }
    assert.equal(await statusOf(id), 'complained')
  }
})

test('one event that two notices bring is stored once', async () => {
  const { id, mail } = await world.mailOf(home)
  const event = bounceOf(mail)
  assert.deepEqual([await post(event), await post(event)], [200, 200])
  const [stored] = await world.service.db.rows<{ count: number }>(sql`
    select count(*)::int as count from feedback where workspace_id = ${home.id} and message_id = ${id}`)
  assert.equal(stored?.count, 1)
})

test('several recipients, which cannot be, and fields that are missing or wrong do no harm', async () => {
  const many = Array.from({ length: 3 }, (_, index) => ({
    emailAddress: `victim${index}@example.com`,
    status: '5.1.1',
  }))
  const { id, mail } = await world.mailOf(home)
  assert.equal(await post(bounceOf(mail, { bouncedRecipients: many })), 200)
  assert.equal(await statusOf(id), 'bounced')
  const answer = await ask(world.baseUrl, `GET /api/v1/suppression?email=victim0@example.com`, {
    key: home.key,
  })
  assert.equal(at(answer.body, 'data', '0'), undefined)
  for (const wrong of [null, [], 'text', 7, {}]) {
    for (const [type, field] of [
      ['Bounce', 'bounce'],
      ['Complaint', 'complaint'],
      ['Delivery', 'delivery'],
      ['DeliveryDelay', 'deliveryDelay'],
      ['Reject', 'reject'],
    ] as const)
      assert.equal(
        await post(eventOf((await world.mailOf(home)).mail, type, { [field]: wrong })),
        200,
      )
  }
})

const bounces: [type: string, subType: string, expected: SesFeedback['bounce']][] = [
  ['Permanent', 'NoEmail', 'hard'],
  ['Permanent', 'Suppressed', 'hard'],
  ['Permanent', 'General', undefined],
  ['Permanent', 'OnAccountSuppressionList', 'policy'],
  ['Permanent', 'OnTenantSuppressionList', 'policy'],
  ['Permanent', 'UnsubscribedRecipient', 'policy'],
  ['Permanent', 'SomethingNew', 'other'],
  ['Transient', 'General', 'soft'],
  ['Transient', 'MailboxFull', 'soft'],
  ['Transient', 'CustomTimeoutExceeded', 'soft'],
  ['Transient', 'MessageTooLarge', 'other'],
  ['Transient', 'ContentRejected', 'policy'],
  ['Transient', 'AttachmentRejected', 'policy'],
  ['Undetermined', 'Undetermined', 'soft'],
]
for (const [bounceType, bounceSubType, expected] of bounces) {
  test(`${bounceType}/${bounceSubType} is ${expected ?? 'classified by the reply'}`, () => {
    const bouncedRecipients = [{ status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 no' }]
    const event = readSesEvent({
      ...{ eventType: 'Bounce', mail: { messageId: 'x' } },
      bounce: { bounceType, bounceSubType, bouncedRecipients },
    })
    assert.ok(event?.kind === 'feedback')
    assert.equal(event.feedback.bounce, expected)
  })
}

test('SES says slower: the measured pace of all processes is halved, and the mail waits; a pause of the account lowers nothing', async () => {
  const lowered = () =>
    world.service.db.row<{ to: number; from: number }>(sql`
      select per_second::float8 as "to", former_per_second::float8 as "from" from provider_rate
      where provider = 'amazon-ses' and throttled_at is not null`)
  const { countingDb, makeId } = world.service
  await storePace(countingDb, { provider: 'amazon-ses', process: makeId(), perSecond: 30 })
  const deferred = async (type: string, status: number): Promise<string | null | undefined> => {
    world.aws.answer(() => ({ status, type }))
    const email = {
      from: `hello@${home.domain}`,
      to: 'slower@example.com',
      subject: 'Bonjour',
      text: 'Bonjour',
    }
    const answer = await ask(world.baseUrl, 'POST /api/v1/emails', { key: home.key, body: email })
    world.aws.answer(undefined)
    const [row] = await world.service.db.rows<{ response: string | null }>(sql`
      select response from recipient where workspace_id = ${home.id} and message_id = ${String(at(answer.body, 'id'))} and status = 'queued'`)
    return row?.response
  }
  assert.equal(await deferred('SendingPausedException', 400), 'SendingPausedException')
  assert.equal(await lowered(), null)
  assert.equal(await deferred('TooManyRequestsException', 429), 'TooManyRequestsException')
  const pace = await lowered()
  // The measure includes the mails that this process sent in the tests before.
  assert.ok(pace !== null && pace.from >= 30 && pace.to === pace.from / 2, JSON.stringify(pace))
})

test('in doubt, and then SES reports it sent: the row is completed as sent', async () => {
  world.aws.answer(() => 'cut')
  const to = 'doubtful@example.com'
  const email = { from: `hello@${home.domain}`, to, subject: 'Bonjour', text: 'Bonjour' }
  const answer = await ask(world.baseUrl, 'POST /api/v1/emails', { key: home.key, body: email })
  world.aws.answer(undefined)
  const id = String(at(answer.body, 'id'))
  const rows = await world.service.db.rows<{ state: string; doubts: number }>(sql`
    select state, doubts from recipient where workspace_id = ${home.id} and message_id = ${id}`)
  assert.equal(rows[0]?.doubts, 1)
  const lost = world.aws.last
  assert.ok(lost)
  assert.equal(await post(eventOf(lost, 'Send', { send: {} })), 200)
  assert.equal(await statusOf(id), 'sent')
})
