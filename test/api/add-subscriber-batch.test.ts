/** `POST /subscribers/batch`: many contacts in a call, each with a result of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { setConfirmationsPerMinute } from '../../src/db/audience/confirmation-pace.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { mailsTo } from '../support/mails.ts'

const api = await startApi()
const shop = await api.workspace('shop', { ratePerMinute: 100_000 })
const { db } = api.service

const addAll = (
  body: unknown,
  {
    workspace = shop,
    headers,
  }: { workspace?: TestWorkspace; headers?: Record<string, string> } = {},
) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
    key: workspace.key,
    body,
    ...(headers && { headers }),
  })
const add = (body: unknown, workspace: TestWorkspace = shop) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', { key: workspace.key, body })
const read = (email: string, workspace: TestWorkspace = shop) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${encodeURIComponent(email)}`, { key: workspace.key })
const contacts = (prefix: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ email: `${prefix}${n}@example.com`, ...more }))
const confirmationTimes = (answer: Answer): number[] =>
  Object(at(answer.body, 'data')).map((entry: unknown) =>
    Date.parse(String(at(entry, 'confirmation_at'))),
  )
const codes = (answer: Answer): string[] =>
  Object(at(answer.body, 'data')).map((entry: unknown) =>
    at(entry, 'error') === null ? String(at(entry, 'result')) : String(at(entry, 'error', 'code')),
  )
/** The requests to confirm that a workspace has stored, also those whose time has not come. */
const askedBy = ({ id }: TestWorkspace) =>
  db.onlyValue<number>(sql`select count(*) from message where workspace_id = ${id} and notice`)

test('200: each entry has its result in the order of the list, and a refused one keeps no other from being added', async () => {
  await add({ email: 'known@example.com', firstName: 'Inès', tags: ['a'], double_opt_in: false })
  await shop.suppress('left@example.com', 'unsubscribe')
  const answer = await addAll([
    { email: 'Camille@Example.com', firstName: 'Camille', tags: ['b'], fields: { city: 'Lyon' } },
    { email: 'direct@example.com', nom: 'Dupont', double_opt_in: false },
    { email: 'known@example.com', lastName: 'Martin', tags: ['a', 'c'], fields: { city: 'Nice' } },
    { email: 'left@example.com' },
    { email: 'nobody' },
    { firstName: 'x'.repeat(121), email: 'long@example.com' },
    { email: 'list@example.com', list_ids: [3] },
    { email: 'camille@example.com', firstName: 'Another' },
    { firstName: 'No address' },
    null,
    { email: 'unknown-keys@example.com', anything: { at: ['all\ud800'] }, double_opt_in: false },
  ])
  assertAnswered(answer, 200, {
    created: 3,
    updated: 1,
    refused: 7,
    confirmations: { sent: 1, per_minute: 60 },
    data: [
      { email: 'camille@example.com', result: 'created', status: 'pending', error: null },
      {
        email: 'direct@example.com',
        result: 'created',
        status: 'subscribed',
        confirmation_at: null,
      },
      {
        email: 'known@example.com',
        result: 'updated',
        status: 'subscribed',
        confirmation_at: null,
      },
      {
        ...{ email: 'left@example.com', result: 'refused', id: null, status: null },
        error: { code: 'suppressed_recipient', details: { reason: 'unsubscribe', status: null } },
      },
      { email: null, error: { details: { path: 'email', rule: 'address.missing_at' } } },
      {
        email: 'long@example.com',
        error: { code: 'validation_error', details: { path: 'firstName', rule: 'maxLength' } },
      },
      { error: { details: { path: 'list_ids', rule: 'not_supported' } } },
      { email: 'camille@example.com', error: { details: { rule: 'twice_in_batch' } } },
      { email: null, error: { details: { path: 'email', rule: 'required' } } },
      { email: null, error: { details: { rule: 'type' } } },
      { email: 'unknown-keys@example.com', result: 'created' },
    ],
  })
  assert.match(
    textAt(answer, 'data', '3', 'error', 'message'),
    /^left@example\.com figure sur la liste/,
  )
  assertAnswered(await read('camille@example.com'), 200, {
    ...{ id: textAt(answer, 'data', '0', 'id'), firstName: 'Camille', status: 'pending' },
    ...{ tags: ['b'], fields: { city: 'Lyon' }, source: 'api' },
  })
  assertAnswered(await read('known@example.com'), 200, {
    ...{ firstName: 'Inès', lastName: 'Martin', tags: ['a', 'c'], fields: { city: 'Nice' } },
  })
  assertAnswered(await read('direct@example.com'), 200, {
    lastName: 'Dupont',
    status: 'subscribed',
  })
  const [mail] = await mailsTo(api.service, shop.id, 'camille@example.com')
  assert.match(mail?.subject ?? '', /^Confirmez votre inscription/)
  const evidence = await db.rows(sql`
    select email, act, source, api_key_id is not null as keyed from consent_evidence
    where workspace_id = ${shop.id} and email in ('camille@example.com', 'direct@example.com') order by email`)
  assert.deepEqual(evidence, [
    { email: 'camille@example.com', act: 'asked', source: 'api', keyed: true },
    { email: 'direct@example.com', act: 'registered', source: 'api', keyed: true },
  ])
})

test('200: an empty text clears, in a batch as in a single call; who is asked again within the hour gets no second mail', async () => {
  const [item] = contacts('again', 1, { firstName: 'A', lastName: 'B', fields: { city: 'Lyon' } })
  assertAnswered(await addAll([item]), 200, { confirmations: { sent: 1 } })
  const again = await addAll([
    { ...item, firstName: '', fields: { city: '' }, lastName: undefined },
  ])
  assertAnswered(again, 200, {
    confirmations: { sent: 0, last_at: null },
    data: [{ result: 'updated', status: 'pending', confirmation_at: null }],
  })
  assertAnswered(await read('again0@example.com'), 200, {
    firstName: null,
    lastName: 'B',
    fields: {},
  })
})

test('200: a value that does not fit its field refuses its entry alone, with field and type', async () => {
  const typed = await api.workspace('typed')
  const inTyped = (body: unknown) => addAll(body, { workspace: typed })
  const entry = (name: string, fields: object) => ({
    ...{ email: `${name}@example.com`, double_opt_in: false, fields },
  })
  await inTyped([
    entry('known', { born: '1990-11-29', size: 'S' }),
    entry('cleared', { born: '1990-11-29' }),
  ])
  await db.count(sql`
    update subscriber_field
    set type = case key when 'born' then 'date' else 'choice' end,
      choices = case key when 'born' then '{}' else '{S,M}'::text[] end
    where workspace_id = ${typed.id}`)
  const answer = await inTyped([
    entry('new', { born: '29/11/1990', city: 'Lyon' }),
    entry('known', { born: 'soon', size: 'XL' }),
    entry('cleared', { born: '' }),
    entry('neighbour', { born: '2000-02-29', size: 'M', city: 'Nice' }),
  ])
  const misfit = { path: 'fields.born', rule: 'field_date', expected: 'date' }
  assertAnswered(answer, 200, {
    ...{ created: 1, updated: 1, refused: 2 },
    data: [
      { result: 'refused', error: { code: 'validation_error', details: misfit } },
      { result: 'refused', error: { code: 'validation_error', details: misfit } },
      { result: 'updated', error: null },
      { result: 'created', error: null },
    ],
  })
  assertRefused(await read('new@example.com', typed), 'not_found')
  for (const [name, fields] of Object.entries({
    known: { born: '1990-11-29', size: 'S' },
    cleared: {},
    neighbour: { born: '2000-02-29', size: 'M', city: 'Nice' },
  }))
    assertAnswered(await read(`${name}@example.com`, typed), 200, { fields })
})

test('200: nobody who left, bounced or complained is subscribed again, by whatever an entry says', async () => {
  for (const status of ['unsubscribed', 'bounced', 'complained']) {
    await add({ email: `${status}@example.com`, double_opt_in: false })
    await db.count(sql`
      update subscriber set status = ${status} where workspace_id = ${shop.id} and email = ${`${status}@example.com`}`)
  }
  const answer = await addAll(
    ['unsubscribed', 'bounced', 'complained'].map((status) => ({
      ...{ email: `${status}@example.com`, double_opt_in: false, firstName: 'Back' },
    })),
  )
  assert.deepEqual(
    codes(answer),
    Array.from({ length: 3 }, () => 'suppressed_recipient'),
  )
  for (const status of ['unsubscribed', 'bounced', 'complained'])
    assertAnswered(await read(`${status}@example.com`), 200, { status, firstName: null })
})

test('200: tags and fields beyond the limits refuse their entry alone', async () => {
  const full = await api.workspace('full')
  const tags = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `t${from + n}`)
  for (let from = 0; from < 200; from += 20)
    await add({ email: 'tagged@example.com', tags: tags(from, 20), double_opt_in: false }, full)
  const fields = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${from + n}`, 'x']))
  const answer = await addAll(
    [
      { email: 'tagged@example.com', tags: ['one-more'] },
      { email: 'fields@example.com', fields: fields(0, 99), double_opt_in: false },
      { email: 'more@example.com', fields: fields(99, 2), double_opt_in: false },
      { email: 'last@example.com', fields: fields(99, 1), double_opt_in: false },
      { email: 'tagged@example.com', tags: ['t0'] },
    ],
    { workspace: full },
  )
  assertAnswered(answer, 200, {
    data: [
      { error: { details: { path: 'tags', rule: 'tags_in_all', limit: 200 } } },
      { result: 'created' },
      { error: { details: { path: 'fields', rule: 'fields_max', limit: 100 } } },
      { result: 'created' },
      { error: { details: { rule: 'twice_in_batch' } } },
    ],
  })
})

test('422: a body of more than 6 MB, and 200 of less', async () => {
  const padded = (megabytes: number) => [
    {
      email: 'padded@example.com',
      double_opt_in: false,
      unknown: 'x'.repeat(megabytes * 1_000_000),
    },
  ]
  assertRefused(await addAll(padded(7)), 'validation_error')
  assertAnswered(await addAll(padded(6)), 200, { created: 1 })
})

const refused: [situation: string, body: unknown, details: object][] = [
  ['no entry', [], { path: '', rule: 'minItems', limit: 1 }],
  ['1,001 entries', contacts('many', 1_001), { path: '', rule: 'maxItems', limit: 1_000 }],
  ['an object', { subscribers: [] }, { path: '', rule: 'type' }],
]
for (const [situation, body, details] of refused)
  test(`422: ${situation}`, async () => {
    assertRefused(await addAll(body), 'validation_error', details)
  })

test('200: each entry is one request of the rate; those beyond it are refused and can be sent again', async () => {
  const slow = await api.workspace('slow', { ratePerMinute: 5 })
  const answer = await addAll(contacts('rate', 8, { double_opt_in: false }), { workspace: slow })
  assertAnswered(answer, 200, { created: 5, refused: 3 })
  assert.deepEqual(codes(answer).slice(4), ['created', ...Array(3).fill('rate_limit_exceeded')])
  const retryAfter = Number(at(answer.body, 'data', '7', 'error', 'details', 'retry_after'))
  assert.ok(retryAfter >= 1 && retryAfter <= 60)
  assert.equal(answer.headers.get('x-ratelimit-remaining'), '0')
  assertRefused(await read('rate0@example.com', slow), 'rate_limit_exceeded')
})

test('200: confirmations leave one a second, behind those of earlier batches; a single call waits for none of them', async () => {
  const paced = await api.workspace('paced', { ratePerMinute: 10_000 })
  const first = await addAll(contacts('paced', 4), { workspace: paced })
  const [start = 0, ...others] = confirmationTimes(first)
  assert.deepEqual(
    others.map((time) => time - start),
    [1_000, 2_000, 3_000],
  )
  assertAnswered(first, 200, {
    confirmations: { sent: 4, per_minute: 60, last_at: new Date(start + 3_000).toISOString() },
  })
  const second = await addAll(contacts('later', 2), { workspace: paced })
  assert.deepEqual(
    confirmationTimes(second).map((time) => time - start),
    [4_000, 5_000],
  )
  await add({ email: 'single@example.com' }, paced)
  const timeOf = (email: string) =>
    db.onlyValue<Date | null>(sql`
      select m.scheduled_at from recipient r join message m on m.workspace_id = ${paced.id} and m.id = r.message_id
      where r.workspace_id = ${paced.id} and r.email = ${email}`)
  assert.equal(await timeOf('single@example.com'), null)
  assert.equal((await timeOf('later1@example.com'))?.getTime(), start + 5_000)
  const otherShop = await addAll(contacts('paced', 1), {
    workspace: await api.workspace('unpaced'),
  })
  assert.ok((confirmationTimes(otherShop)[0] ?? Infinity) < start + 4_000)
})

test('200: at the pace that the operator sets all of them leave, each when its time has come', async () => {
  const quick = await api.workspace('quick')
  await setConfirmationsPerMinute(db, quick.id, 6_000)
  const answer = await addAll(contacts('quick', 20), { workspace: quick })
  assertAnswered(answer, 200, { confirmations: { sent: 20, per_minute: 6_000 } })
  const times = confirmationTimes(answer)
  for (const [n, time] of times.entries()) {
    await mailsTo(api.service, quick.id, `quick${n}@example.com`)
    const leftAt = await db.onlyValue<Date>(sql`
      select sent_at from recipient where workspace_id = ${quick.id} and email = ${`quick${n}@example.com`}`)
    assert.ok(leftAt.getTime() >= time, `${n} left before its time`)
  }
})

test('200: whose confirmation would leave in more than a day is refused; who needs none is added', async () => {
  const crowded = await api.workspace('crowded')
  await db.count(sql`
    insert into confirmation_pace (workspace_id, per_minute, next_at)
    values (${crowded.id}, 60, facteur_now() + interval '24 hours' - interval '1500 milliseconds')`)
  const answer = await addAll(
    [...contacts('crowd', 4), { email: 'free@example.com', double_opt_in: false }],
    { workspace: crowded },
  )
  assert.deepEqual(codes(answer), [
    ...['created', 'created', 'rate_limit_exceeded', 'rate_limit_exceeded', 'created'],
  ])
  assertAnswered(answer, 200, {
    data: [
      {},
      {},
      { error: { details: { reason: 'confirmations', limit: 24, retry_after: 1 } } },
      {},
      {},
    ],
  })
  assertRefused(await read('crowd2@example.com', crowded), 'not_found')
})

test('200: batches at once take no more room for confirmations than there is', async () => {
  const narrow = await api.workspace('narrow')
  await db.count(sql`
    insert into confirmation_pace (workspace_id, per_minute, next_at)
    values (${narrow.id}, 1, facteur_now() + interval '24 hours' - interval '61 seconds')`)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => addAll(contacts(`narrow${n}`, 1), { workspace: narrow })),
  )
  const added = answers.filter(({ body }) => at(body, 'created') === 1)
  assert.equal(added.length, 2)
})

test('200: without a sender that may ask, who needs a confirmation is refused, and who needs none is added', async () => {
  const bare = await api.workspace('bare')
  await api.run(`delete from sender where workspace_id = ${bare.id}`)
  const answer = await addAll(
    [{ email: 'asked@example.com' }, { email: 'direct@example.com', double_opt_in: false }],
    { workspace: bare },
  )
  assertAnswered(answer, 200, {
    data: [
      { error: { code: 'validation_error', details: { reason: 'no_sender' } } },
      { result: 'created' },
    ],
  })
})

test('200: a call that is repeated with its Idempotency-Key answers the same, and changes and counts nothing more', async () => {
  const keyed = await api.workspace('keyed', { ratePerMinute: 20 })
  const headers = { 'idempotency-key': 'move-1' }
  const body = [...contacts('keyed', 5), { email: 'nobody' }]
  const first = await addAll(body, { workspace: keyed, headers })
  assertAnswered(first, 200, { created: 5, refused: 1 })
  assert.equal(first.headers.get('idempotent-replay'), null)
  await db.count(sql`
    update subscriber set confirmation_sent_at = facteur_now() - interval '2 hours' where workspace_id = ${keyed.id}`)
  const again = await addAll(body, { workspace: keyed, headers })
  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  assert.equal(again.headers.get('x-ratelimit-remaining'), '13')
  assert.equal(await askedBy(keyed), 5)
  assertRefused(
    await addAll(body.slice(1), { workspace: keyed, headers }),
    'idempotency_key_reused',
    { key: 'move-1' },
  )
})

test('409 idempotency_key_reused: a key of a mail is none of a batch, and the reverse', async () => {
  const send = (key: string) =>
    ask(api.baseUrl, 'POST /api/v1/emails', {
      ...{ key: shop.key, headers: { 'idempotency-key': key } },
      body: { from: 'hello@shop.test', to: 'a@example.com', subject: 'Hello', text: 'Hello' },
    })
  assertAnswered(await send('of-a-mail'), 202)
  const batch = [{ email: 'key@example.com', double_opt_in: false }]
  const withKey = (key: string) => addAll(batch, { headers: { 'idempotency-key': key } })
  assertRefused(await withKey('of-a-mail'), 'idempotency_key_reused')
  assertAnswered(await withKey('of-a-batch'), 200, { created: 1 })
  assertRefused(await send('of-a-batch'), 'idempotency_key_reused')
})

test('200: the same call with the same key, many times at once, is done once', async () => {
  const twice = await api.workspace('twice', { ratePerMinute: 10_000 })
  const body = contacts('twice', 30)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      addAll(body, { workspace: twice, headers: { 'idempotency-key': 'once' } }),
    ),
  )
  for (const { body: answered } of answers) assert.deepEqual(answered, answers[0]?.body)
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replay') === null).length, 1)
  assert.equal(await askedBy(twice), 30)
})

test('200: two batches of the same contacts at once: each contact is added by one and known to the other', async () => {
  const both = await api.workspace('both', { ratePerMinute: 10_000 })
  const body = contacts('both', 100)
  const answers = await Promise.all([
    addAll(body, { workspace: both }),
    addAll(body.toReversed(), { workspace: both }),
  ])
  const sum = (name: string) => answers.reduce((all, { body: b }) => all + Number(at(b, name)), 0)
  assert.deepEqual([sum('created'), sum('updated'), sum('refused')], [100, 100, 0])
  assert.equal(await askedBy(both), 100)
})

test('200: what another workspace knows of a contact changes nothing here', async () => {
  const other = await api.workspace('other')
  await shop.suppress('both-sides@example.com', 'complaint')
  assertAnswered(
    await addAll([{ email: 'both-sides@example.com', double_opt_in: false }], { workspace: other }),
    200,
    { data: [{ result: 'created' }] },
  )
  assertRefused(await read('both-sides@example.com'), 'not_found')
})
