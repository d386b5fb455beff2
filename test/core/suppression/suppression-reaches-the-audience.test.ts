/**
 * Each suppression changes its subscriber's status, whatever its source, and the reach of a
 * campaign is always exact.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { suppressionReasons } from '../../../src/contract/suppression.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered, textAt } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { until } from '../../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const { db } = api.service

const add = (email: string, more: object = { double_opt_in: false }) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: { email, ...more } })
const suppress = (email: string, reason?: string) =>
  ask(api.baseUrl, 'POST /api/v1/suppression', {
    key: shop.key,
    body: { email, ...(reason && { reason }) },
  })
/** Undefined where the list has no subscriber of the address. */
const statusOf = async (email: string) =>
  at((await ask(api.baseUrl, `GET /api/v1/subscribers/${email}`, { key: shop.key })).body, 'status')

/** How many there are by their rows: what the count has to be. */
async function subscribedRows(): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*) as count from subscriber s where s.workspace_id = ${shop.id} and s.status = 'subscribed'
      and not exists (select from suppression x where x.workspace_id = ${shop.id} and x.email = s.email)
      and not exists (select from platform_suppression x where x.email = s.email)`)
  return row?.count ?? -1
}

async function becomes(email: string, status: string): Promise<void> {
  await until(
    () => statusOf(email),
    (observed) => observed === status,
  )
}

for (const reason of [undefined, ...suppressionReasons]) {
  test(`POST /suppression with reason ${reason ?? 'none'} unsubscribes the subscriber, with evidence`, async () => {
    const email = `${reason ?? 'default'}@example.com`
    await add(email)
    assertAnswered(await suppress(email.toUpperCase(), reason), 201)
    assert.equal(await statusOf(email), 'unsubscribed')
    const rows = await db.rows(sql`
      select source from consent_evidence where workspace_id = ${shop.id} and email = ${email} and act = 'unsubscribed'`)
    assert.deepEqual(rows, [{ source: 'suppression' }])
  })
}

for (const [word, status] of [
  ['bounced', 'bounced'],
  ['complained', 'complained'],
] as const) {
  test(`a message that ${word} moves the subscriber to ${status}`, async () => {
    const email = `${word}@simulator.test`
    await add(email)
    const body = { from: 'hello@shop.test', to: email, subject: 's', text: 't' }
    assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 202)
    await becomes(email, status)
    const subscribers = await subscribedRows()
    assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key }), 200, {
      subscribers,
    })
  })
}

test('a confirmation request that bounces changes the pending subscriber to bounced', async () => {
  const email = 'bounced+pending@simulator.test'
  assertAnswered(await add(email, {}), 201, { status: 'pending' })
  await becomes(email, 'bounced')
})

for (const status of ['pending', 'bounced'])
  test(`a complaint makes a ${status} subscriber complained`, async () => {
    const email = `complained+${status}@simulator.test`
    await add(email)
    await api.run(`update subscriber set status = '${status}' where email = '${email}'`)
    const body = { from: 'hello@shop.test', to: email, subject: 's', text: 't' }
    assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 202)
    await becomes(email, 'complained')
  })

test('feedback leaves an unsubscribed contact unsubscribed, and the list has the stronger reason', async () => {
  const email = 'complained+left@simulator.test'
  await add(email)
  const body = { from: 'hello@shop.test', to: email, subject: 's', text: 't' }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 'id')
  const read = async () =>
    textAt(await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key }), 'status')
  await until(read, (observed) => observed !== 'queued')
  await ask(api.baseUrl, `DELETE /api/v1/subscribers/${email}`, { key: shop.key })
  await until(read, (observed) => observed === 'complained')
  assert.equal(await statusOf(email), 'unsubscribed')
  const [entry] = await db.rows<{ reason: string }>(sql`
    select reason from suppression where workspace_id = ${shop.id} and email = ${email}`)
  assert.equal(entry?.reason, 'complaint')
})

test('a contact who is added while their address is being suppressed ends up not subscribed, in either order', async () => {
  const emails = Array.from({ length: 60 }, (_, n) => `race${n}@example.com`)
  await Promise.all(emails.flatMap((email) => [add(email), suppress(email)]))
  for (const email of emails) {
    const status = await statusOf(email)
    assert.ok(status === undefined || status === 'unsubscribed', `${email} is ${String(status)}`)
  }
})
