/**
 * Consent: requested, confirmed, withdrawn, and which suppression it lifts (semantics 3:
 * Subscriber; security: What people reach).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  insertSubscriber,
  lockSubscriber,
  subscriberByEmail,
} from '../../../src/db/audience/subscribers.ts'
import {
  confirmSubscriber,
  findConfirmation,
} from '../../../src/core/audience/consent/confirm-subscriber.ts'
import {
  findAsker,
  sendConfirmation,
} from '../../../src/core/audience/consent/send-confirmation.ts'
import { unsubscribeSubscriber } from '../../../src/core/suppression/unsubscribe-subscriber.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertAnswered, textAt } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { confirmToken, mailsTo } from '../../support/mails.ts'
import { until } from '../../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const { service } = api
const { db } = service
/** A subscriber whose mail waits: it is not among the due rows. */
const still = await api.workspace('still')
await api.run(`
  create function forget_due() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger forget_due before insert on due for each row when (new.workspace_id = ${still.id}) execute function forget_due()`)

const add = (email: string, more: object = {}) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: { email, ...more } })
const remove = (email: string) =>
  ask(api.baseUrl, `DELETE /api/v1/subscribers/${email}`, { key: shop.key })
const answerOf = async (email: string): Promise<unknown> =>
  (await ask(api.baseUrl, `GET /api/v1/subscribers/${email}`, { key: shop.key })).body
const statusOf = async (email: string) => at(await answerOf(email), 'status')
const reasonOf = async (email: string) =>
  at(
    (await ask(api.baseUrl, `GET /api/v1/suppression?email=${email}`, { key: shop.key })).body,
    'data',
    '0',
    'reason',
  )
const reachable = async (): Promise<number> =>
  Number(at((await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })).body, 'subscribers'))

/** The token of the newest request to confirm that left for the address. */
async function tokenFor(email: string, mails = 1): Promise<string> {
  const all = await mailsTo(service, shop.id, email, mails)
  return confirmToken(all.at(-1) ?? {})
}

const confirm = (token: string) =>
  confirmSubscriber(service, {
    confirming: { token, shown: 'Confirm?', ip: '192.0.2.7', userAgent: 'Test/1' },
  })

/** Asks as a form does: the visitor typed their own address. */
async function askByForm(email: string, { id }: TestWorkspace = shop): Promise<void> {
  const asker = await findAsker(service, db, id)
  assert.ok(!('refusal' in asker))
  await db.transaction(async (tx) => {
    const known = await subscriberByEmail(tx, id, email)
    const contact = {
      email,
      status: 'pending',
      confirmation: true,
      source: 'form',
      firstName: null,
      lastName: null,
      tags: [],
      fields: {},
    } as const
    const subscriber =
      known ?? (await insertSubscriber(tx, id, { id: service.makeId(), ...contact }))
    assert.ok(subscriber)
    await lockSubscriber(tx, id, subscriber.id)
    const entry = {
      source: 'form',
      shown: 'I agree',
      ip: '192.0.2.9',
      userAgent: 'Test/2',
      apiKeyId: null,
    } as const
    await sendConfirmation(service, tx, { workspaceId: id, asker, ask: { subscriber, ...entry } })
  })
  if (id === shop.id) service.wake('transactional')
}

const evidence = (email: string) =>
  db.rows<{
    act: string
    source: string
    ip: string | null
    userAgent: string | null
    shown: string | null
    hasMail: boolean
  }>(sql`
    select act, source, ip, user_agent, shown, message_id is not null as has_mail
    from consent_evidence where workspace_id = ${shop.id} and email = ${email} order by at, id`)

test('a contact who confirms is subscribed and counted, with the evidence of question, mail and network', async () => {
  const before = await reachable()
  await add('yes@example.com')
  assert.equal(await reachable(), before)
  const token = await tokenFor('yes@example.com')
  const [mail] = await mailsTo(service, shop.id, 'yes@example.com')
  const opened = await findConfirmation(service, token)
  assert.partialDeepStrictEqual(opened, {
    state: 'open',
    workspaceId: shop.id,
    email: 'yes@example.com',
  })
  assert.equal(await statusOf('yes@example.com'), 'pending', 'opening the page changes nothing')
  assert.partialDeepStrictEqual(await confirm(token), {
    state: 'confirmed',
    email: 'yes@example.com',
  })
  const read = await ask(api.baseUrl, 'GET /api/v1/subscribers/yes@example.com', { key: shop.key })
  assertAnswered(read, 200, { status: 'subscribed' })
  assert.match(textAt(read, 'confirmed_at'), /Z$/)
  assert.equal(await reachable(), before + 1)
  const [answer, confirmed, ...more] = await evidence('yes@example.com')
  assert.deepEqual(more, [])
  assert.partialDeepStrictEqual(answer, { act: 'asked', source: 'api', hasMail: true })
  assert.ok(answer?.shown?.includes(token) && mail?.text?.includes(token))
  assert.deepEqual(confirmed, {
    act: 'confirmed',
    source: 'api',
    ip: '192.0.2.7',
    userAgent: 'Test/1',
    shown: 'Confirm?',
    hasMail: true,
  })
})

test('confirming again is already done, changes nothing, and is no more evidence; nor is twenty times at once', async () => {
  await add('often@example.com')
  const token = await tokenFor('often@example.com')
  const states = await Promise.all(Array.from({ length: 20 }, () => confirm(token)))
  assert.equal(states.filter(({ state }) => state === 'confirmed').length, 1)
  assert.equal(states.filter(({ state }) => state === 'already').length, 19)
  assert.equal((await evidence('often@example.com')).length, 2)
  assert.equal((await findConfirmation(service, token)).state, 'already')
})

test('an older request confirms too: a contact takes whichever mail they find', async () => {
  await add('older@example.com')
  const first = await tokenFor('older@example.com')
  await db.count(sql`
    update subscriber set confirmation_sent_at = facteur_now() - interval '2 hours' where workspace_id = ${shop.id} and email = 'older@example.com'`)
  await add('older@example.com')
  const second = await tokenFor('older@example.com', 2)
  assert.notEqual(first, second)
  assert.equal((await confirm(first)).state, 'confirmed')
  assert.equal((await confirm(second)).state, 'already')
})

test('a token of another purpose, a changed one, or one of a deleted contact is unknown', async () => {
  await add('tokens@example.com')
  const token = await tokenFor('tokens@example.com')
  const subject = service.linkTokens.read('confirm', token)
  assert.ok(subject)
  const others = [
    service.linkTokens.make('unsubscribe', subject),
    service.linkTokens.make('confirm', { ...subject, second: subject.first }),
    service.linkTokens.make('confirm', { ...subject, workspaceId: shop.id + 1 }),
    `${token.slice(0, -2)}${token.at(-1)}${token.at(-2)}x`,
    '',
  ]
  for (const other of others) assert.deepEqual(await confirm(other), { state: 'unknown' })
  assert.equal(await statusOf('tokens@example.com'), 'pending')
  await api.run(`delete from subscriber where email = 'tokens@example.com'`)
  assert.deepEqual(await confirm(token), { state: 'unknown' })
})

for (const reason of ['manual', 'bounce', 'complaint', 'unsubscribe'] as const) {
  test(`a request of the API cannot be confirmed once the address is suppressed: ${reason}`, async () => {
    const email = `closed-${reason}@example.com`
    await add(email)
    const token = await tokenFor(email)
    await shop.suppress(email, reason)
    assert.equal((await findConfirmation(service, token)).state, 'suppressed')
    assert.equal((await confirm(token)).state, 'suppressed')
    assert.equal(await statusOf(email), 'unsubscribed')
    assert.equal(await reasonOf(email), reason)
  })
}

test("a form's request passes the contact's own unsubscribe: its mail leaves, and confirming lifts the suppression", async () => {
  const email = 'back@example.com'
  await add(email, { double_opt_in: false })
  await remove(email)
  await askByForm(email)
  const token = await tokenFor(email)
  assert.equal(await statusOf(email), 'unsubscribed', 'asking changes nothing')
  assert.equal(await reasonOf(email), 'unsubscribe')
  assert.equal((await confirm(token)).state, 'confirmed')
  assert.equal(await statusOf(email), 'subscribed')
  assert.equal(await reasonOf(email), undefined)
  assert.equal(at(await answerOf(email), 'unsubscribed_at'), null)
  assert.deepEqual(
    (await evidence(email)).map(({ act, source, shown }) => [act, source, shown]),
    [
      ['registered', 'api', null],
      ['unsubscribed', 'api', null],
      ['asked', 'form', 'I agree'],
      ['confirmed', 'form', 'Confirm?'],
    ],
  )
})

test('a used link does not bring back a contact who unsubscribed since', async () => {
  const email = 'left-since@example.com'
  await askByForm(email)
  const token = await tokenFor(email)
  await confirm(token)
  await remove(email)
  assert.equal((await confirm(token)).state, 'suppressed')
  assert.equal(await statusOf(email), 'unsubscribed')
  assert.equal(await reasonOf(email), 'unsubscribe')
})

for (const reason of ['manual', 'bounce', 'complaint'] as const) {
  test(`a confirmation request of a form does not leave, and lifts nothing, where the reason is ${reason}`, async () => {
    const email = `form-${reason}@example.com`
    await add(email, { double_opt_in: false })
    await shop.suppress(email, reason)
    await askByForm(email)
    const settled = async () => {
      const [row] = await db.rows<{ state: string; error: string }>(sql`
        select state, error from recipient where workspace_id = ${shop.id} and address_key = ${email}`)
      return row
    }
    await until(settled, (observed) => observed?.state === 'settled')
    assert.equal((await settled())?.error, `suppressed: ${reason}`)
    const [answer] = await db.rows<{ id: string; subscriberId: string }>(sql`
      select id, subscriber_id from consent_evidence where workspace_id = ${shop.id} and email = ${email} and act = 'asked'`)
    const token = service.linkTokens.make('confirm', {
      workspaceId: shop.id,
      first: answer?.subscriberId ?? '',
      second: answer?.id ?? '',
    })
    assert.equal((await confirm(token)).state, 'suppressed')
    assert.equal(await reasonOf(email), reason)
  })
}

test('a stronger reason stops mail that a contact requested by a form; their own unsubscribe does not', async () => {
  const email = 'waits@example.com'
  const state = async () => {
    const [row] = await db.rows<{ state: string }>(sql`
      select state from recipient where workspace_id = ${still.id} and address_key = ${email}`)
    return row?.state
  }
  await askByForm(email, still)
  await still.suppress(email, 'unsubscribe')
  assert.equal(await state(), 'pending')
  await still.suppress(email, 'complaint')
  assert.equal(await state(), 'settled')
})

test('leaving by a link is the same verb: evidence with the campaign, once; the reason of the list is unsubscribe', async () => {
  const email = 'link@example.com'
  const subscriberId = textAt(await add(email, { double_opt_in: false }), 'id')
  const campaignId = service.makeId()
  const leaving = {
    source: 'one-click',
    ip: '192.0.2.1',
    userAgent: 'Mail/1',
    apiKeyId: null,
    campaignId,
  } as const
  const counted: (string | null)[] = []
  const beside = (_tx: unknown, moved: { was: string } | null) =>
    Promise.resolve(void counted.push(moved?.was ?? null))
  for (let times = 0; times < 2; times++) {
    const left = await unsubscribeSubscriber(service, {
      workspaceId: shop.id,
      leaver: { subscriberId },
      leaving,
      beside,
    })
    assert.deepEqual(left, { subscriberId, email })
  }
  assert.deepEqual(counted, ['subscribed', null])
  assert.equal(await statusOf(email), 'unsubscribed')
  assert.equal(await reasonOf(email), 'unsubscribe')
  const rows = await db.rows(sql`
    select source, ip, campaign_id from consent_evidence where workspace_id = ${shop.id} and email = ${email} and act = 'unsubscribed'`)
  assert.deepEqual(rows, [{ source: 'one-click', ip: '192.0.2.1', campaignId }])
  assert.equal(
    await unsubscribeSubscriber(service, {
      workspaceId: shop.id,
      leaver: { subscriberId: service.makeId() },
      leaving,
    }),
    null,
  )
})
