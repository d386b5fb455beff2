/** `POST /subscribers/imports` and its reads: a program's file, by the rules of the pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { mailsTo } from '../support/mails.ts'
import { until } from '../support/until.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service

const consent = 'Signed up at our stand'
const bring = (body: object, key = shop.key, headers = {}) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers/imports', { key, body, headers })
const read = (id: string, key = shop.key) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/imports/${id}`, { key })
const list = (key = shop.key, query = '') =>
  ask(api.baseUrl, `GET /api/v1/subscribers/imports${query}`, { key })
const subscriber = (email: string, { key }: TestWorkspace = shop) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${encodeURIComponent(email)}`, { key })
/** The import when it has ended. */
async function ended(answer: Answer, { key }: TestWorkspace = shop): Promise<Answer> {
  // A worker may have ended it before the answer was written.
  assertAnswered(answer, 202, { object: 'import' })
  return until(
    () => read(textAt(answer, 'id'), key),
    ({ body }) => at(body, 'state') !== 'importing',
  )
}

test('202: the lines are stored by a worker, with the consent, the key and the audit log as evidence', async () => {
  const csv =
    'Adresse;Prénom;Ville\nada@example.com;Ada;Paris\nno address;Bob;\nada@example.com;Again;\n'
  const started = await bring({
    ...{ csv, double_opt_in: false, consent, name: 'fair.csv', tags: ['fair'] },
    columns: { Ville: 'fields.city' },
  })
  const answer = await ended(started)
  assertAnswered(answer, 200, {
    ...{ name: 'fair.csv', state: 'imported', failure: null, confirmations_until: null },
    counts: { people: 3, new: 1, updated: 0, refused: 2 },
    refusals: [{ line: 3 }, { line: 4, email: 'ada@example.com', reason: 'duplicate' }],
    ...{ unknown_words: [], unknown_separators: [] },
  })
  assertAnswered(await subscriber('ada@example.com'), 200, {
    ...{ status: 'subscribed', firstName: 'Ada', tags: ['fair'] },
    ...{ fields: { city: 'Paris' }, source: 'import' },
  })
  assert.deepEqual(
    await db.rows(sql`
      select act, source, shown, recorded_by, api_key_id is not null as keyed from consent_evidence
      where workspace_id = ${shop.id} and email = 'ada@example.com'`),
    [{ act: 'registered', source: 'import', shown: consent, recordedBy: null, keyed: true }],
  )
  assert.deepEqual(
    await db.rows(sql`
      select subject, who like 'key %' as keyed from audit_log where workspace_id = ${shop.id} and act = 'subscribers.imported'`),
    [{ subject: 'fair.csv', keyed: true }],
  )
})

const csv = 'email\na@example.com\n'
for (const [situation, body, details] of [
  ['without double_opt_in', { csv }, { path: 'double_opt_in', rule: 'required' }],
  [
    'with double_opt_in null',
    { csv, double_opt_in: null, consent },
    { path: 'double_opt_in', rule: 'required' },
  ],
  [
    'with double_opt_in as a text',
    { csv, double_opt_in: 'false', consent },
    { path: 'double_opt_in', rule: 'type' },
  ],
  [
    'double_opt_in false without the words of a consent',
    { csv, double_opt_in: false },
    { path: 'consent', rule: 'consent_needed' },
  ],
  [
    'double_opt_in true with words of a consent',
    { csv, double_opt_in: true, consent },
    { path: 'consent', rule: 'consent_not_needed' },
  ],
  [
    'a column that the file has not',
    { csv, double_opt_in: true, columns: { Town: 'fields.town' } },
    { path: 'columns.Town', rule: 'no_such_column' },
  ],
  [
    'a column with a target that is none',
    { csv, double_opt_in: true, columns: { email: 'mail' } },
    { path: 'columns.email', rule: 'target' },
  ],
  [
    'a file without addresses',
    { csv: 'name\nAda\n', double_opt_in: true },
    { path: 'targets', rule: 'target_email' },
  ],
  [
    'a quote that is not closed',
    { csv: 'email\n"a', double_opt_in: true },
    { reason: 'csv_unclosed_quote', line: 2 },
  ],
  ['no line', { csv: '\n', double_opt_in: true }, { reason: 'csv_empty' }],
] as const)
  test(`422 validation_error: ${situation}; nothing is stored`, async () => {
    const before = at((await list()).body, 'data')
    assertRefused(await bring(body), 'validation_error', details)
    assert.deepEqual(at((await list()).body, 'data'), before)
    assertRefused(await subscriber('a@example.com'), 'not_found')
  })

test('202: with double_opt_in true each new contact is pending and asked, at the pace of confirmations, and who is asked again is not', async () => {
  const paced = await api.workspace('paced')
  const lines = Array.from({ length: 5 }, (_, n) => `asked${n}@example.com`).join('\n')
  const answer = await ended(
    await bring({ csv: `email\n${lines}\n`, double_opt_in: true }, paced.key),
    paced,
  )
  assertAnswered(answer, 200, { state: 'imported', counts: { new: 5 } })
  assert.ok(Date.parse(textAt(answer, 'confirmations_until')) > 0)
  assertAnswered(await subscriber('asked0@example.com', paced), 200, { status: 'pending' })
  await mailsTo(api.service, paced.id, 'asked0@example.com')
  const times = await db.rows<{ at: Date; sent: Date }>(sql`
    select m.scheduled_at as at, s.confirmation_sent_at as sent
    from recipient r join message m on m.workspace_id = ${paced.id} and m.id = r.message_id
    join subscriber s on s.workspace_id = ${paced.id} and s.email = r.email
    where r.workspace_id = ${paced.id} order by m.scheduled_at`)
  const start = times[0]?.at.getTime() ?? 0
  assert.deepEqual(
    times.map(({ at: time }) => time.getTime() - start),
    [0, 1_000, 2_000, 3_000, 4_000],
  )
  assert.ok(times.every(({ at: time, sent }) => time.getTime() === sent.getTime()))
  const batch = await ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
    ...{ key: paced.key, body: [{ email: 'batch@example.com' }] },
  })
  assert.equal(Date.parse(textAt(batch, 'data', '0', 'confirmation_at')), start + 5_000)
})

test('202: confirmations of a file wait a day at most: later lines are refused, who needs none is stored, and the next file is refused with 429', async () => {
  const crowded = await api.workspace('crowded')
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    ...{ key: crowded.key, body: { email: 'known@example.com', double_opt_in: false } },
  })
  await db.count(sql`
    insert into confirmation_pace (workspace_id, per_minute, next_at)
    values (${crowded.id}, 1, facteur_now() + interval '24 hours' - interval '61 seconds')`)
  const lines = ['a', 'b', 'c', 'd', 'known'].map((name) => `${name}@example.com,${name}`)
  const file = { csv: `email,firstName\n${lines.join('\n')}\n`, double_opt_in: true }
  const answer = await ended(await bring(file, crowded.key), crowded)
  assertAnswered(answer, 200, {
    counts: { people: 5, new: 2, updated: 1, refused: 2, reasons: { confirmations: 2 } },
    refusals: [
      { line: 4, email: 'c@example.com', reason: 'confirmations' },
      { line: 5, reason: 'confirmations' },
    ],
  })
  assertRefused(await subscriber('c@example.com', crowded), 'not_found')
  assertAnswered(await subscriber('known@example.com', crowded), 200, { firstName: 'known' })
  assertRefused(await bring(file, crowded.key), 'rate_limit_exceeded', {
    ...{ reason: 'confirmations', limit: 24 },
  })
  assertAnswered(await bring({ ...file, double_opt_in: false, consent }, crowded.key), 202)
})

test('202: a call that is repeated with its Idempotency-Key answers the import of the first, and imports nothing more', async () => {
  const keyed = await api.workspace('keyed')
  const file = { csv: 'email\nonce@example.com\n', double_opt_in: true }
  const headers = { 'idempotency-key': 'fair' }
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => bring(file, keyed.key, headers)),
  )
  const [first] = answers
  assert.ok(first)
  for (const answer of answers)
    assertAnswered(answer, 202, { object: 'import', id: textAt(first, 'id') })
  assert.equal(answers.filter(({ headers: h }) => h.get('idempotent-replay') === null).length, 1)
  await ended(first, keyed)
  const again = await bring(file, keyed.key, headers)
  assertAnswered(again, 202, { id: textAt(first, 'id'), state: 'imported', counts: { new: 1 } })
  assert.equal(again.headers.get('idempotent-replay'), 'true')
  assertAnswered(await list(keyed.key), 200, { data: [{ id: textAt(first, 'id') }] })
  const changed = { ...file, double_opt_in: false, consent }
  assertRefused(await bring(changed, keyed.key, headers), 'idempotency_key_reused', { key: 'fair' })
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
      ...{ key: keyed.key, headers, body: [{ email: 'once@example.com' }] },
    }),
    'idempotency_key_reused',
  )
  assertAnswered(await bring(changed, shop.key, headers), 202)
})

test('409 idempotency_key_reused: a key of a mail is none of a file; a refused file leaves its key free', async () => {
  const headers = { 'idempotency-key': 'of-a-mail' }
  const mail = { from: 'hello@shop.test', to: 'a@example.com', subject: 'Hello', text: 'Hello' }
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, headers, body: mail }),
    202,
  )
  const file = { csv: 'email\nfree@example.com\n', double_opt_in: false, consent }
  assertRefused(await bring(file, shop.key, headers), 'idempotency_key_reused')
  const free = { 'idempotency-key': 'free' }
  assertRefused(await bring({ ...file, csv: '\n' }, shop.key, free), 'validation_error')
  assertAnswered(await bring(file, shop.key, free), 202)
})

test('202: nobody who left comes back by a file: leavers of the file and of the workspace are refused and counted', async () => {
  await shop.suppress('suppressed@example.com', 'complaint')
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: 'left@example.com', double_opt_in: false },
  })
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/left@example.com', { key: shop.key })
  const file =
    'email,status\nsuppressed@example.com,subscribed\nleft@example.com,subscribed\nold@example.com,unsubscribed\nwaits@example.com,pending\nstays@example.com,subscribed\n'
  const answer = await ended(await bring({ csv: file, double_opt_in: false, consent }))
  assertAnswered(answer, 200, { state: 'imported', counts: { people: 5, new: 2, refused: 3 } })
  assertAnswered(await subscriber('left@example.com'), 200, { status: 'unsubscribed' })
  assertAnswered(await subscriber('waits@example.com'), 200, { status: 'pending' })
  for (const email of ['old@example.com', 'suppressed@example.com'])
    assertRefused(await subscriber(email), 'not_found')
})

test('202: a word of a status that is not known stops the import before its first line, and the next call says what it means', async () => {
  const file = 'email,status\nwords@example.com,dormant\n'
  const failed = await ended(await bring({ csv: file, double_opt_in: false, consent }))
  assertAnswered(failed, 200, {
    ...{ state: 'failed', counts: null, failure: { rule: 'status_words' } },
    unknown_words: [{ column: 'status', word: 'dormant', count: 1 }],
  })
  assertRefused(await subscriber('words@example.com'), 'not_found')
  const answered = await bring({
    ...{ csv: file, double_opt_in: false, consent },
    status_words: [{ word: 'dormant', meaning: 'subscribed' }],
  })
  assertAnswered(await ended(answered), 200, { state: 'imported', counts: { new: 1 } })
})

test('404: an import of another workspace, one that is none, and what is no identifier', async () => {
  const id = textAt(await bring({ csv, double_opt_in: false, consent }), 'id')
  assertRefused(await read(id, other.key), 'not_found')
  assertRefused(await read('019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e47'), 'not_found')
  assertRefused(await read('people'), 'not_found')
  assert.deepEqual(at((await list(other.key)).body, 'data'), [])
  assertRefused(await subscriber('a@example.com', other), 'not_found')
})

test('200: the list has the newest first, page by page, and names no user', async () => {
  const first = await list(shop.key, '?limit=1')
  assertAnswered(first, 200, { object: 'list', has_more: true, data: [{ object: 'import' }] })
  const next = await list(shop.key, `?limit=1&cursor=${textAt(first, 'next_cursor')}`)
  assert.ok(textAt(first, 'data', '0', 'id') > textAt(next, 'data', '0', 'id'))
  assert.doesNotMatch(JSON.stringify(first.body), /person/)
})

test('403: bringing a file needs subscribers:write, reading subscribers:read', async () => {
  const reader = await shop.makeKey(['subscribers:read'])
  const writer = await shop.makeKey(['subscribers:write'])
  assertRefused(await bring({ csv, double_opt_in: true }, reader), 'insufficient_scope')
  assertRefused(await list(writer), 'insufficient_scope')
  assertAnswered(await list(reader), 200)
})

test('422: a body of more than 30 MB', async () => {
  const large = { csv: `email\n${'a'.repeat(31 * 1024 * 1024)}`, double_opt_in: true }
  assertRefused(await bring(large), 'validation_error')
})

test('422 by name for keys of other services that say who gets mail, and nothing is stored', async () => {
  const file = 'email\nnobody@example.com\n'
  for (const [name, value] of Object.entries({ status: 'unsubscribed', list_ids: [3] }))
    assertRefused(
      await bring({ csv: file, double_opt_in: false, consent, [name]: value }),
      'validation_error',
      { path: name, rule: 'not_supported' },
    )
  assertRefused(await subscriber('nobody@example.com'), 'not_found')
})
