/**
 * GET /api/v1/campaigns/{id}: what was written, where it stands, what came of it (spec: Campaign;
 * semantics 4).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at, keysAt } from '../support/json.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
const create = async (body: object = {}): Promise<string> => {
  const written = {
    name: 'November',
    subject: 'New {{firstName}}',
    preheader: 'In two minutes',
    text: 'Hello',
    ...body,
  }
  return textAt(
    await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body: written }),
    'id',
  )
}
const read = (id: string): Promise<Answer> =>
  ask(api.baseUrl, `GET /api/v1/campaigns/${id}`, { key: shop.key })

const fields = [
  ...[
    'object',
    'id',
    'name',
    'subject',
    'reply_to',
    'track_opens',
    'track_clicks',
    'preheader',
    'from',
    'fromName',
    'fromEmail',
    'status',
    'kind',
    'recipients',
    'queued',
  ],
  ...[
    'in_doubt',
    'progress',
    'counts',
    'rates',
    'paused',
    'scheduledAt',
    'sentAt',
    'completedAt',
    'created_at',
    'updated_at',
    'updatedAt',
    'audience',
    'topic',
  ],
]

test('200: every field of a draft, with nothing counted and nothing to divide', async () => {
  const id = await create()
  const answer = await read(id)
  assert.deepEqual(keysAt(answer.body).toSorted(), fields.toSorted())
  assertAnswered(answer, 200, {
    ...{
      object: 'campaign',
      id,
      name: 'November',
      subject: 'New {{firstName}}',
      preheader: 'In two minutes',
      status: 'draft',
    },
    ...{
      recipients: 0,
      queued: 0,
      paused: false,
      scheduledAt: null,
      sentAt: null,
      completedAt: null,
    },
    progress: { pending: 0, sent: 0, failed: 0, suppressed: 0, in_doubt: 0 },
    counts: {
      recipients: 0,
      delivered: 0,
      opened: 0,
      clicked: 0,
      bounced: 0,
      complained: 0,
      unsubscribed: 0,
    },
    rates: { delivered: null, opened: null, clicked: null, bounced: null },
  })
  const { created_at, updated_at, updatedAt } = Object(answer.body)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual([updated_at, updatedAt], [created_at, created_at])
})

test('200: progress, counts and rates of a running campaign come from its counters', async () => {
  const id = await create()
  await api.run(
    `update campaign set status = 'sending', sent_at = '2026-11-21T08:00:00.5Z' where id = '${id}'`,
  )
  await api.run(`insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent, failed, suppressed, in_doubt)
    values (${shop.id}, '${id}', '${id}', facteur_now(), 20, 5, 10, 2, 2, 1)`)
  for (const [measure, count] of Object.entries({
    delivered: 8,
    opened: 6,
    clicked: 2,
    bounced: 1,
    complained: 1,
    unsubscribed: 3,
  })) {
    await api.run(
      `insert into campaign_tally values (${shop.id}, '${id}', '${measure}', '', ${count})`,
    )
  }
  // Counted too, and no part of these.
  await api.run(
    `insert into campaign_tally values (${shop.id}, '${id}', 'device', 'Phone', 6), (${shop.id}, '${id}', 'opened_in', '0', 6)`,
  )
  const answer = await read(id)
  assertAnswered(answer, 200, {
    ...{
      status: 'sending',
      recipients: 20,
      queued: 20,
      paused: false,
      sentAt: '2026-11-21T08:00:00.500Z',
      completedAt: null,
    },
    progress: { pending: 5, sent: 10, failed: 2, suppressed: 2, in_doubt: 1 },
    counts: {
      recipients: 20,
      delivered: 8,
      opened: 6,
      clicked: 2,
      bounced: 1,
      complained: 1,
      unsubscribed: 3,
    },
    rates: { delivered: 0.4, opened: 0.75, clicked: 0.25, bounced: 0.05 },
  })
  await api.run(`update campaign set paused_at = facteur_now() where id = '${id}'`)
  assertAnswered(await read(id), 200, { status: 'sending', paused: true })
  await api.run(
    `update campaign set status = 'sent', completed_at = facteur_now() where id = '${id}'`,
  )
  const sent = await read(id)
  assertAnswered(sent, 200, { status: 'sent', paused: false })
  assert.equal(typeof at(sent.body, 'completedAt'), 'string')
})

for (const id of ['nonsense', '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', '%00']) {
  test(`404 not_found: ${id}`, async () => assertRefused(await read(id), 'not_found'))
}
