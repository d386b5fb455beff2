/**
 * `confirm_recipients`: the campaign reaches the confirmed number, or nothing is sent; subscribers
 * who come meanwhile are not reached unseen.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callVerb } from '../support/call-verb.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import type { TestWorkspace } from '../support/api.ts'
import { at } from '../support/json.ts'
import { clientOf, startMcpApi } from '../support/mcp.ts'

const api = await startMcpApi({ workers: false })

const subscribe = ({ key }: TestWorkspace, email: string) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key, body: { email, double_opt_in: false } })
const draft = async ({ key }: TestWorkspace): Promise<string> =>
  textAt(
    await ask(api.baseUrl, 'POST /api/v1/campaigns', {
      key,
      body: { name: 'n', subject: 's', text: 't' },
    }),
    'id',
  )
const statusOf = async ({ key }: TestWorkspace, id: string) =>
  at((await ask(api.baseUrl, `GET /api/v1/campaigns/${id}`, { key })).body, 'status')

test('refused with both numbers when another number would be reached; the draft, the quota and the list stay as they were', async () => {
  const shop = await api.workspace('differs', { monthlyQuota: 10 })
  for (const name of ['a', 'b', 'c']) await subscribe(shop, `${name}@example.com`)
  await shop.suppress('c@example.com', 'manual')
  const id = await draft(shop)
  const client = clientOf(api.baseUrl, shop.key)
  for (const confirmed of [0, 1, 3, 1_000_000]) {
    const { body, isError } = await client.call('send_campaign', {
      id,
      confirm_recipients: confirmed,
    })
    assert.ok(isError)
    assert.deepEqual(at(body, 'error', 'details'), {
      reason: 'recipients_differ',
      confirmed,
      recipients: 2,
    })
  }
  assert.equal(await statusOf(shop, id), 'draft')
  assert.equal(at((await client.call('get_account')).body, 'quota', 'used'), 0)
  const reached = at((await client.call('get_account')).body, 'subscribers')
  const { body, isError } = await client.call('send_campaign', { id, confirm_recipients: reached })
  assert.deepEqual([isError, at(body, 'queued')], [false, 2])
})

test('refused as by any other way: an unapproved campaign, and one to an audience; both stay drafts', async () => {
  const shop = await api.workspace('demanding')
  for (const name of ['a', 'b']) await subscribe(shop, `${name}@example.com`)
  const client = clientOf(api.baseUrl, shop.key)
  const id = await draft(shop)
  const refused = async (details: object): Promise<void> => {
    const { body, isError } = await client.call('send_campaign', { id })
    assert.ok(isError)
    assert.partialDeepStrictEqual(at(body, 'error', 'details'), details)
    assert.equal(await statusOf(shop, id), 'draft')
  }
  await callVerb(api.service, shop.id, 'updateApprovalRule', { body: { above: 1 } })
  await refused({ reason: 'approval_required', because: 'none', above: 1 })
  await callVerb(api.service, shop.id, 'updateApprovalRule', { body: { above: null } })
  const audience = { params: { id }, body: { except: [{ tag: 'nobody' }] } }
  await callVerb(api.service, shop.id, 'setCampaignAudience', audience)
  await refused({ reason: 'targeted' })
})

test('the REST call takes it in its query, as text; without it, however many there are', async () => {
  const shop = await api.workspace('rest')
  await subscribe(shop, 'a@example.com')
  const send = async (id: string, query: string) =>
    ask(api.baseUrl, `POST /api/v1/campaigns/${id}/send${query}`, { key: shop.key })
  const id = await draft(shop)
  assertRefused(await send(id, '?confirm_recipients=2'), 'validation_error', {
    reason: 'recipients_differ',
    recipients: 1,
  })
  assertRefused(await send(id, '?confirm_recipients=many'), 'validation_error', {
    path: 'confirm_recipients',
  })
  assertAnswered(await send(id, '?confirm_recipients=1'), 202, { queued: 1 })
  assertAnswered(await send(await draft(shop), ''), 202, { queued: 1 })
})

test('the refusals of the specification come before that of the number', async () => {
  const poor = await api.workspace('poor', { monthlyQuota: 1 })
  for (const name of ['a', 'b']) await subscribe(poor, `${name}@example.com`)
  const { body } = await clientOf(api.baseUrl, poor.key).call('send_campaign', {
    id: await draft(poor),
    confirm_recipients: 7,
  })
  assert.equal(at(body, 'error', 'details', 'reason'), 'quota_exceeded')
})

test('subscribers who come and go while it is sent: never another number than the confirmed one', async () => {
  const shop = await api.workspace('race')
  const client = clientOf(api.baseUrl, shop.key)
  await subscribe(shop, 'first@example.com')
  const outcomes = { sent: 0, refused: 0 }
  for (let round = 0; round < 15; round++) {
    const id = await draft(shop)
    const agreed = Number(at((await client.call('get_account')).body, 'subscribers'))
    const [{ body, isError }] = await Promise.all([
      client.call('send_campaign', { id, confirm_recipients: agreed }),
      subscribe(shop, `p${round}@example.com`),
      round % 3 === 2
        ? client.call('remove_subscriber', { email: `p${round - 1}@example.com` })
        : null,
    ])
    if (isError) {
      outcomes.refused++
      assert.equal(at(body, 'error', 'details', 'reason'), 'recipients_differ')
      assert.notEqual(at(body, 'error', 'details', 'recipients'), agreed)
      assert.equal(await statusOf(shop, id), 'draft')
    } else {
      outcomes.sent++
      assert.equal(at(body, 'queued'), agreed)
      const read = await ask(api.baseUrl, `GET /api/v1/campaigns/${id}`, { key: shop.key })
      assert.equal(at(read.body, 'recipients'), agreed)
    }
  }
  assert.equal(outcomes.sent + outcomes.refused, 15)
})

test('202: the note is in the language that the call asks for, by REST and as a tool; without a wish in the service’s own', async () => {
  const shop = await api.workspace('note')
  for (const name of ['a', 'b']) await subscribe(shop, `${name}@example.com`)
  const client = clientOf(api.baseUrl, shop.key)
  for (const [headers, note] of [
    [{ 'accept-language': 'en' }, '2 recipients are in the queue.'],
    [{ 'accept-language': 'fr' }, "2 destinataires en file d'envoi."],
    [{}, "2 destinataires en file d'envoi."],
  ] as const) {
    const line = `POST /api/v1/campaigns/${await draft(shop)}/send`
    assertAnswered(await ask(api.baseUrl, line, { key: shop.key, headers }), 202, { note })
    assert.equal(
      at((await client.call('send_campaign', { id: await draft(shop) }, headers)).body, 'note'),
      note,
    )
  }
})
