/**
 * Webhooks in the pages' API: health, the journal by status, type and time, the exact request, and
 * the scope of a replay.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import type { EventType } from '../../src/contract/events.ts'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const api = await startApi({ entry: operatorEntryPoints(), log: quiet })
const { service } = api
const receiver = await startReceiver()
const shop = await api.workspace('shop')
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const at = '/workspaces/shop/api/v1'

const createHook = async (url: string, events: EventType[] = ['campaign.sent']): Promise<string> =>
  textAt(await editor.ask(`POST ${at}/webhooks`, { body: { url, events } }), 'id')

async function publish(type: EventType = 'campaign.sent', data: object = { n: 1 }): Promise<void> {
  await service.db.transaction((tx) => publishEvents(tx, shop.id, [{ type, data }]))
  service.wake('webhook')
}

type Health = AnswerOf<'listWebhookHealth'>['body']['webhooks'][number]

function healthOf(id: string, isSo: (health: Health) => boolean = () => true): Promise<Health> {
  const read = async () => {
    const { body } = (await viewer.ask(`GET ${at}/webhook-health`)) as {
      body: AnswerOf<'listWebhookHealth'>['body']
    }
    return body.webhooks.find(({ webhook }) => webhook.id === id)
  }
  return until(read, (health) => health !== undefined && isSo(health))
}

const journalOf = async (
  id: string,
  query = '',
): Promise<AnswerOf<'listWebhookJournal'>['body']> => {
  const answer = await viewer.ask(`GET ${at}/webhooks/${id}/journal${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as AnswerOf<'listWebhookJournal'>['body']
}

/** What the journal lists, which its figures on the page sum up. */
async function countsOf(id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const status of ['delivered', 'failed', 'pending'])
    counts[status] = (await journalOf(id, `?status=${status}`)).data.length
  return counts
}

test('a failing webhook has its reason and the next attempt; once replayed it is well', async () => {
  receiver.answer = (_request, response) => void response.writeHead(503).end('<b>closed</b>')
  const id = await createHook(`${receiver.url}/health`)
  await api.stopTime()
  await publish()
  const failing = await healthOf(id, ({ last_failure }) => last_failure !== null)
  assert.deepEqual([failing.delivered, failing.failed, failing.waiting], [0, 0, 1])
  assert.deepEqual(await countsOf(id), { delivered: 0, failed: 0, pending: 1 })
  assert.partialDeepStrictEqual(failing.last_failure, {
    kind: 'answered',
    status: 503,
    error: 'answered 503',
  })
  const { at: failedAt, next_attempt_at } = failing.last_failure ?? { at: '', next_attempt_at: '' }
  const waitMs = Date.parse(next_attempt_at ?? '') - Date.parse(failedAt)
  assert.equal(waitMs, 30_000)
  await api.moveClock('0')
  assert.notEqual(failing.failing_since, null)

  receiver.answer = (_request, response) => void response.end('ok')
  const [entry] = (await journalOf(id, '?status=pending')).data
  assertAnswered(
    await editor.ask(`POST ${at}/webhooks/${id}/deliveries/${entry?.id}/replay`),
    200,
    { status: 'delivered' },
  )
  const well = await healthOf(id)
  assert.deepEqual(
    [well.delivered, well.failed, well.waiting, well.last_failure, well.failing_since],
    [1, 0, 0, null, null],
  )
  assert.deepEqual(await countsOf(id), { delivered: 1, failed: 0, pending: 0 })
})

test('a test that failed is shown until a delivery succeeds, and counts for nothing', async () => {
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  const id = await createHook(`${receiver.url}/tested`, ['email.sent'])
  await editor.ask(`POST ${at}/webhooks/${id}/test`)
  assert.equal((await healthOf(id)).last_failure?.status, 500)
  receiver.answer = (_request, response) => void response.end()
  await publish('email.sent')
  const well = await healthOf(id, ({ delivered }) => delivered === 1)
  assert.deepEqual([well.failed, well.last_failure], [0, null])
})

test('each attempt is shown with the request as the receiver got it, and with its answer, also of a success before the last', async () => {
  const answers: [number, string][] = [
    [500, 'first answer'],
    [200, 'second answer'],
    [500, 'third answer'],
  ]
  receiver.answer = (_request, response, { path }) => {
    const [status = 200, body = ''] = (path.endsWith('/shown') && answers.shift()) || []
    response.writeHead(status).end(body)
  }
  const id = await createHook(`${receiver.url}/shown`)
  await publish('campaign.sent', { name: 'Été' })
  await healthOf(id, ({ last_failure }) => last_failure !== null)
  const [entry] = (await journalOf(id)).data
  for (let replays = 0; replays < 2; replays++)
    await editor.ask(`POST ${at}/webhooks/${id}/deliveries/${entry?.id}/replay`)
  const { body } = (await viewer.ask(`GET ${at}/webhooks/${id}/deliveries/${entry?.id}`)) as {
    body: AnswerOf<'getWebhookDelivery'>['body']
  }
  const calls = receiver.calls.filter(({ path }) => path.endsWith('/shown'))
  assert.deepEqual(
    body.attempts_made.map(({ attempt, status, answer }) => [attempt, status, answer]),
    [
      [3, 500, 'third answer'],
      [2, 200, 'second answer'],
      [1, 500, 'first answer'],
    ],
  )
  for (const [index, { request }] of body.attempts_made.toReversed().entries()) {
    const received = calls[index]
    assert.equal(body.body, received?.body)
    for (const { name, value } of request?.headers ?? [])
      assert.equal(received?.headers[name], value, name)
    const reported = new Set(request?.headers.map(({ name }) => name))
    assert.deepEqual(
      Object.keys(received?.headers ?? {}).filter((name) => !reported.has(name)),
      ['connection'],
    )
  }
  assert.deepEqual(Object.keys(body.attempts_made[0]?.failure ?? {}), ['kind', 'status', 'error'])
})

test('a call that never was sent shows no request: nothing listened, or the worker was lost', async () => {
  const id = await createHook('http://127.0.0.1:1/')
  await publish()
  const { last_failure } = await healthOf(id, (health) => health.last_failure !== null)
  assert.equal(last_failure?.kind, 'refused')
  const [entry] = (await journalOf(id)).data
  const { body } = (await viewer.ask(`GET ${at}/webhooks/${id}/deliveries/${entry?.id}`)) as {
    body: AnswerOf<'getWebhookDelivery'>['body']
  }
  assert.deepEqual([body.attempts_made[0]?.request, body.attempts_made[0]?.answer], [null, null])
  await editor.ask(`DELETE ${at}/webhooks/${id}`)
})

test('the journal by status, type and time, in pages; what is rare is found behind thousands', async () => {
  const id = await createHook('https://receiver.example/', ['email.sent', 'email.failed'])
  // Thousands that were delivered, above a few that were not and one of another type.
  await service.db.count(sql`
    with made as (
      insert into event (workspace_id, id, place, type, body, created_at)
      select ${shop.id}, facteur_event_id(t.at, n), nextval('event_order'), case when n = 30 then 'email.failed' else 'email.sent' end, '{}', t.at
      from generate_series(1, 2600) n
      cross join lateral (select date_trunc('milliseconds', facteur_now()) - interval '2 hours' + n * interval '1 second' as at) t
      returning id, type, created_at
    )
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, created_at, last_attempt_at)
    select ${shop.id}, ${id}, id, type, case when row_number() over (order by id) <= 20 then 'failed' else 'delivered' end, 1, created_at, created_at
    from made`)
  const failed = await journalOf(id, '?status=failed&limit=15')
  assert.deepEqual([failed.data.length, failed.has_more], [15, true])
  const rest = await journalOf(id, `?status=failed&limit=15&cursor=${failed.next_cursor}`)
  assert.deepEqual([rest.data.length, rest.has_more], [5, false])
  const oldest = rest.data.at(-1)?.created_at ?? ''

  const rare = await journalOf(id, '?type=email.failed')
  assert.deepEqual([rare.data.length, rare.has_more], [0, true])
  const further = await journalOf(id, `?type=email.failed&cursor=${rare.next_cursor}`)
  assert.deepEqual([further.data.length, further.has_more], [1, false])

  const end = new Date(Date.parse(oldest) + 5_000).toISOString()
  const early = await journalOf(id, `?to=${end}`)
  assert.deepEqual(
    [early.data.length, early.data.every(({ created_at }) => created_at < end)],
    [5, true],
  )
  const late = await journalOf(id, `?from=${end}&status=failed`)
  assert.deepEqual(
    [late.data.length, late.data.every(({ created_at }) => created_at >= end)],
    [15, true],
  )

  const health = await healthOf(id)
  assert.deepEqual([health.delivered, health.failed, health.waiting], [1_000, 20, 0])
  assertRefused(
    await viewer.ask(`GET ${at}/webhooks/${id}/journal?cursor=${failed.next_cursor}`),
    'validation_error',
    {
      path: 'cursor',
    },
  )
})

test('a replay is counted before it is made: as many go out as were counted', async () => {
  const id = await createHook(`${receiver.url}/counted`)
  await editor.ask(`PATCH ${at}/webhooks/${id}`, { body: { enabled: false } })
  const [since] = await service.db.rows<{ at: Date }>(sql`select facteur_now() as at`)
  const from = since?.at.toISOString() ?? ''
  await publish()
  await publish()
  const count = async (only: string) => {
    const answer = await editor.ask(`GET ${at}/webhooks/${id}/replay?from=${from}&only=${only}`)
    return (answer.body as { count: number }).count
  }
  assert.deepEqual([await count('undelivered'), await count('all')], [2, 2])
  receiver.answer = (_request, response) => void response.end()
  await editor.ask(`PATCH ${at}/webhooks/${id}`, { body: { enabled: true } })
  assertAnswered(await editor.ask(`POST ${at}/webhooks/${id}/replay`, { body: { from } }), 202, {
    queued: 2,
  })
  await healthOf(id, ({ delivered }) => delivered === 2)
  assert.deepEqual([await count('undelivered'), await count('all')], [0, 2])
  assertRefused(
    await viewer.ask(`GET ${at}/webhooks/${id}/replay?from=${from}`),
    'insufficient_role',
  )
})

test('why one is disabled: a user disabled it, or it failed for three days where the workspace wants that', async () => {
  const id = await createHook('http://127.0.0.1:1/', ['subscriber.created'])
  assertAnswered(
    await editor.ask(`PATCH ${at}/webhook-rules`, { body: { disables_failing: true } }),
    200,
  )
  assertAnswered(await viewer.ask(`GET ${at}/webhook-health`), 200, { disables_failing: true })
  await editor.ask(`PATCH ${at}/webhooks/${id}`, { body: { enabled: false } })
  assert.equal((await healthOf(id)).disabled?.because, 'asked')
  await editor.ask(`PATCH ${at}/webhooks/${id}`, { body: { enabled: true } })
  assert.equal((await healthOf(id)).disabled, null)
  await publish('subscriber.created')
  await healthOf(id, ({ failing_since }) => failing_since !== null)
  await api.moveClock('4 days')
  service.wake('webhook')
  const { disabled } = await healthOf(id, (health) => health.disabled !== null)
  assert.equal(disabled?.because, 'failing')
  assert.notEqual(disabled?.at, null)
})

test('a URL is validated as it is typed, by the rules of its storage', async () => {
  for (const [url, refusal] of [
    ['https://shop.example/hook', null],
    ['shop.example', 'uri'],
    ['ftp://shop.example/', 'scheme'],
    ['https://me:secret@shop.example/', 'credentials'],
    ['https://10.0.0.1/', 'address'],
    ['http://93.184.216.34/', 'plain_http'],
  ] as const) {
    assertAnswered(await editor.ask(`GET ${at}/webhook-url?url=${encodeURIComponent(url)}`), 200, {
      refusal,
    })
  }
})

test('an event: its bytes, and where it went; of another workspace it is not there', async () => {
  const id = await createHook(`${receiver.url}/event`)
  receiver.answer = (_request, response) => void response.end()
  await publish('campaign.sent', { n: 42 })
  await healthOf(id, ({ delivered }) => delivered === 1)
  const [entry] = (await journalOf(id)).data
  const answer = await viewer.ask(`GET ${at}/events/${entry?.event_id}`)
  assertAnswered(answer, 200, { id: entry?.event_id, type: 'campaign.sent', test: false })
  const event = answer.body as AnswerOf<'getEvent'>['body']
  assert.equal(event.body, receiver.calls.find(({ path }) => path.endsWith('/event'))?.body)
  assert.ok(
    event.deliveries.some(({ webhook_id, status }) => webhook_id === id && status === 'delivered'),
  )
  const other = await api.workspace('other')
  const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
  assertRefused(
    await stranger.ask(`GET /workspaces/other/api/v1/events/${entry?.event_id}`),
    'not_found',
  )
  assertRefused(
    await stranger.ask(`GET /workspaces/other/api/v1/webhooks/${id}/journal`),
    'not_found',
  )
  assertRefused(await viewer.ask(`GET ${at}/events/evt_x`), 'not_found')
})

test('types are shown with a body as it comes; the secret is no viewer’s to read', async () => {
  const { body } = (await viewer.ask(`GET ${at}/event-kinds`)) as {
    body: AnswerOf<'listEventKinds'>['body']
  }
  assert.equal(body.kinds.length, 17)
  for (const { type, example } of body.kinds)
    assert.partialDeepStrictEqual(JSON.parse(example), { type })
  const id = await createHook('https://receiver.example/')
  assertRefused(await viewer.ask(`GET ${at}/webhooks/${id}`), 'insufficient_role')
  assert.match(textAt(await editor.ask(`GET ${at}/webhooks/${id}`), 'secret'), /^whsec_/)
})

test('the audit log has the user who creates, changes, rotates or deletes a webhook, without the secret or the whole URL', async () => {
  const body = { url: `${receiver.url}?token=hidden`, name: 'Told', events: ['email.sent'] }
  const id = textAt(await editor.ask(`POST ${at}/webhooks`, { body }), 'id')
  await editor.ask(`PATCH ${at}/webhooks/${id}`, { body: { enabled: false } })
  const secret = textAt(
    await editor.ask(`POST ${at}/webhooks/${id}/rotate?overlap_hours=0`),
    'secret',
  )
  await editor.ask(`DELETE ${at}/webhooks/${id}`)
  const rows = await service.db.rows<{ act: string; who: string; entry: string }>(sql`
    select act, who, row_to_json(a)::text as entry from audit_log a
    where workspace_id = ${shop.id} and subject = 'Told' order by id`)
  assert.deepEqual(
    rows.map(({ act }) => act),
    ['webhook.created', 'webhook.changed', 'webhook.secret_replaced', 'webhook.deleted'],
  )
  for (const { who, entry: reported } of rows) {
    assert.equal(who, editor.email)
    assert.ok(!reported.includes('hidden') && !reported.includes(secret), reported)
  }
})
