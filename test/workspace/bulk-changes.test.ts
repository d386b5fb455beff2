/**
 * Changes of many contacts: whom they are for is frozen when they are confirmed, their result
 * counts who was left out and why, and what is not undone waits and can be stopped.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { cleanUp } from '../../src/entrypoints/workers/clean-up.ts'
import {
  bulkChangeById,
  claimBulkChange,
  insertBulkChange,
  startBulkChange,
} from '../../src/db/audience/bulk/bulk-changes.ts'
import { markRestoredByOthers, withholdPending } from '../../src/db/restore/withhold-pending.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const bulk = '/workspaces/acme/api/v1/audience/bulk'
const editor = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'editor' } })
const colleague = await signIn(api, { email: 'joan@example.com', in: { [acme.id]: 'owner' } })
const stranger = await signIn(api, { email: 'eve@example.com', in: { [other.id]: 'owner' } })

const add = async (name: string, body: object = {}, key = acme.key): Promise<string> => {
  const answer = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key,
    body: { email: `${name}@example.com`, double_opt_in: false, ...body },
  })
  assertAnswered(answer, 201)
  return textAt(answer, 'id')
}
const begin = (action: string, body: object): Promise<Answer> =>
  editor.ask(`POST ${bulk}/${action}`, { body })
const listed = async (id: string): Promise<unknown> => {
  const { body } = await editor.ask(`GET ${bulk}`)
  return (at(body, 'data') as unknown[]).find((entry) => at(entry, 'id') === id)
}
/** The change once it has ended. */
const result = (id: string): Promise<unknown> =>
  until(
    () => listed(id),
    (change) => ['completed', 'stopped'].includes(String(at(change, 'state'))),
  )
const run = async (action: string, body: object): Promise<unknown> => {
  const started = await begin(action, body)
  assertAnswered(started, 202, { object: 'bulk_change' })
  return result(textAt(started, 'id'))
}
const assertPart = (change: unknown, part: Record<string, unknown>): void =>
  assert.deepEqual(
    Object.fromEntries(Object.keys(part).map((name) => [name, at(change, name)])),
    part,
  )
const tagsOf = (id: string) =>
  db.value<string[]>(
    sql`select tags from subscriber where workspace_id = ${acme.id} and id = ${id}`,
  )
const statusOf = (id: string) =>
  db.value<string>(
    sql`select status from subscriber where workspace_id = ${acme.id} and id = ${id}`,
  )
/** Contacts that are still stored for a change. */
const frozenOf = (change: Answer) =>
  db.onlyValue<number>(sql`
    select count(*) as count from bulk_change_contact where bulk_change_id = ${textAt(change, 'id')}`)
/** Makes room for other changes of this file. */
const endAll = () =>
  db.count(
    sql`update bulk_change set slot = null, next_at = null, state = 'stopped' where next_at is not null`,
  )
/** Lets the wait of ten seconds pass, by the database's time. */
const passWait = () => api.moveClock('11 seconds')

test('a tag is added to the selected contacts, and to all that match; a contact who matches later is not touched', async () => {
  const [contact, two, three] = [
    await add('a1'),
    await add('a2', { tags: ['vip'] }),
    await add('a3'),
  ]
  const foreignId = await add('a1', {}, other.key)
  const change = await run('tag', { selection: { ids: [contact, two, foreignId] }, tag: 'vip' })
  assertPart(change, {
    ...{ action: 'tag', tag: 'vip', state: 'completed', contacts: 2, done: 2, changed: 1 },
    ...{ left_out: [{ reason: 'unchanged', contacts: 1 }], by: 'ada@example.com' },
  })
  assert.deepEqual(await tagsOf(contact), ['vip'])
  assert.deepEqual(await tagsOf(three), [])
  assert.deepEqual(
    await db.value(
      sql`select tags from subscriber where workspace_id = ${other.id} and id = ${foreignId}`,
    ),
    [],
  )
  const untagged = await run('untag', {
    selection: { matching: { tag: 'vip', q: 'a1' } },
    tag: 'vip',
  })
  assertPart(untagged, { contacts: 1, changed: 1, left_out: [] })
  assert.deepEqual(await tagsOf(contact), [])
  const definition = { any: [{ tag: 'vip' }] }
  const both = await run('tag', { selection: { matching: { definition, q: 'example' } }, tag: 'b' })
  assertPart(both, { contacts: 1, changed: 1 })
  assert.deepEqual(await tagsOf(two), ['vip', 'b'])
})

test('a contact who changes or is erased between the freeze and the change', async () => {
  const [gone, changed, later] = [await add('b1'), await add('b2'), await add('b3')]
  const started = await begin('unsubscribe', {
    ...{ selection: { ids: [gone, changed] }, reason: 'They asked' },
  })
  assertAnswered(started, 202, { state: 'waiting', contacts: 2, changed: 0 })
  await eraseContact(api.service, { workspaceId: acme.id, email: 'b1@example.com' })
  const leave = 'DELETE /api/v1/subscribers/b2@example.com'
  assertAnswered(await ask(api.baseUrl, leave, { key: acme.key }), 200)
  await passWait()
  assertPart(await result(textAt(started, 'id')), {
    ...{ state: 'completed', contacts: 2, done: 2, changed: 0 },
    left_out: [
      { reason: 'unchanged', contacts: 1 },
      { reason: 'gone', contacts: 1 },
    ],
  })
  assert.equal(await statusOf(later), 'subscribed')
})

test('a field is set by its type: what does not fit is refused before', async () => {
  const fields = '/workspaces/acme/api/v1/audience/fields'
  const field = { key: 'birthday', type: 'date' }
  assertAnswered(await editor.ask(`POST ${fields}`, { body: field }), 201)
  const [contact] = [await add('c1')]
  const selection = { ids: [contact] }
  assertRefused(
    await begin('set-field', { selection, field: 'birthday', value: '29/11/1990' }),
    'validation_error',
    { path: 'value', rule: 'field_date' },
  )
  assertRefused(
    await begin('set-field', { selection, field: 'nope', value: 'x' }),
    'validation_error',
    {
      ...{ path: 'field', rule: 'unknown' },
    },
  )
  const stored = () =>
    db.value(sql`select fields from subscriber where workspace_id = ${acme.id} and id = ${contact}`)
  assertPart(await run('set-field', { selection, field: 'birthday', value: '1990-11-29' }), {
    // The value may be about a person who is erased later.
    ...{ field: 'birthday', value: null, changed: 1 },
  })
  assert.deepEqual(await stored(), { birthday: '1990-11-29' })
  assertPart(await run('set-field', { selection, field: 'birthday', value: '' }), { changed: 1 })
  assert.deepEqual(await stored(), {})
})

test('unsubscribing waits ten seconds and can be stopped; afterwards it is evidence with its reason, and suppressed', async () => {
  const id = await add('d1')
  const body = { selection: { ids: [id] }, reason: 'They asked at our stand' }
  const first = await begin('unsubscribe', body)
  assert.ok(Number(at(first.body, 'waits_seconds')) > 0)
  const stop = (change: Answer) => editor.ask(`POST ${bulk}/${textAt(change, 'id')}/stop`)
  assertAnswered(await stop(first), 200, { state: 'stopped', changed: 0 })
  assertRefused(await stop(first), 'conflict', { reason: 'not_running', status: 'stopped' })
  assert.equal(await frozenOf(first), 0)
  await passWait()
  assert.equal(await statusOf(id), 'subscribed')

  const second = await begin('unsubscribe', body)
  assert.equal(await statusOf(id), 'subscribed')
  await api.moveClock('22 seconds')
  assertPart(await result(textAt(second, 'id')), { state: 'completed', changed: 1 })
  assert.equal(await statusOf(id), 'unsubscribed')
  const evidence = await db.rows(sql`
    select act, source, shown, recorded_by from consent_evidence
    where workspace_id = ${acme.id} and subscriber_id = ${id} and act = 'unsubscribed'`)
  assert.deepEqual(evidence, [
    { act: 'unsubscribed', source: 'workspace', shown: body.reason, recordedBy: 'ada@example.com' },
  ])
  const suppressed = sql`select reason from suppression where workspace_id = ${acme.id} and email = 'd1@example.com'`
  assert.equal(await db.value(suppressed), 'unsubscribe')
  const stored = sql`select parameters from bulk_change where id = ${textAt(second, 'id')}`
  assert.deepEqual(await db.value(stored), { contact: id })
  assert.equal(await frozenOf(second), 0)
})

test('erasing asks for a fresh proof, waits, and leaves nobody', async () => {
  const [contact, two] = [await add('e1'), await add('e2')]
  const started = await begin('erase', { selection: { ids: [contact, two] } })
  assertAnswered(started, 202, { state: 'waiting', contacts: 2 })
  await api.moveClock('33 seconds')
  assertPart(await result(textAt(started, 'id')), { state: 'completed', changed: 2, left_out: [] })
  assert.equal(await statusOf(contact), null)
})

test('what is not undone is for as many as were confirmed', async () => {
  await endAll()
  const selection = { matching: { q: 'counted' } }
  await add('counted1')
  await add('counted2')
  for (const [action, body] of [
    ['erase', { selection }],
    ['unsubscribe', { selection, reason: 'x' }],
  ] as const) {
    const refused = await begin(action, { ...body, expected: 1 })
    assertRefused(refused, 'conflict', { reason: 'selection_changed', contacts: 2 })
    assertAnswered(await begin(action, { ...body, expected: 2 }), 202, { contacts: 2 })
  }
  await endAll()
})

test('identifiers of another workspace select nobody, for an erasure and an export too', async () => {
  await endAll()
  const foreignId = await add('foreign', {}, other.key)
  const selection = { ids: [foreignId] }
  assertAnswered(await begin('erase', { selection }), 202, { contacts: 0 })
  assertAnswered(await begin('unsubscribe', { selection, reason: 'x' }), 202, { contacts: 0 })
  const exported = await begin('export', { selection })
  assertAnswered(exported, 201, { contacts: 0 })
  const file = await fetch(`${api.baseUrl}${bulk}/${textAt(exported, 'id')}/file`, {
    headers: { cookie: editor.cookie },
  })
  assert.doesNotMatch(await file.text(), /foreign/)
  await endAll()
})

test('a stop at the end of the wait and a claim agree: it is stopped, or asked to stop', async () => {
  const id = await add('edge')
  await endAll()
  for (let round = 0; round < 5; round++) {
    const started = await begin('unsubscribe', { selection: { ids: [id] }, reason: 'x' })
    const change = textAt(started, 'id')
    await db.count(sql`update bulk_change set next_at = facteur_now() where id = ${change}`)
    const [stopped, claimed] = await Promise.all([
      editor.ask(`POST ${bulk}/${change}/stop`),
      claimBulkChange(db, acme.id, { leaseSeconds: 60, reach: 'one' }),
    ])
    assertAnswered(stopped, 200, claimed ? { stopping: true } : { state: 'stopped' })
    await endAll()
  }
  assert.equal(await statusOf(id), 'subscribed')
})

test('an export is for the member who confirmed it, for some minutes', async () => {
  const [contact] = [await add('f1', { firstName: 'Fay' })]
  const started = await begin('export', { selection: { ids: [contact] } })
  assertAnswered(started, 201, { state: 'completed', contacts: 1 })
  const path = `GET ${bulk}/${textAt(started, 'id')}/file`
  const answer = await fetch(`${api.baseUrl}${path.slice(4)}`, {
    headers: { cookie: editor.cookie },
  })
  const file = await answer.text()
  assert.match(file, /f1@example\.com,Fay/)
  assert.equal(file.trim().split('\n').length, 2)
  assertRefused(await colleague.ask(path), 'not_found')
  await api.moveClock('17 minutes')
  assertRefused(await editor.ask(path), 'not_found')
  assert.equal(await frozenOf(started), 1, 'for a download that had begun')
  await api.moveClock('32 minutes')
  await cleanUp(api.service, new AbortController().signal)
  assert.equal(await frozenOf(started), 0)
})

test('every change is audited once, by counts alone; another workspace sees and stops none', async () => {
  const entries = await db.rows<{
    act: string
    subject: string
    details: Record<string, unknown>
  }>(sql`
    select act, subject, details from audit_log
    where workspace_id = ${acme.id} and act like 'subscribers.%' order by id`)
  assert.equal(new Set(entries.map(({ act }) => act)).size, 8)
  for (const { subject, details } of entries) {
    assert.equal(subject, '')
    assert.doesNotMatch(JSON.stringify(details), /@/)
  }
  const tagged = entries.find(({ act }) => act === 'subscribers.tagged')?.details ?? {}
  assert.equal(tagged['tag'], 'vip')
  const ended = entries.filter(({ act }) => act === 'subscribers.change_ended')
  const entry = ended.find(({ details }) => details['id'] === tagged['id'])
  assert.deepEqual(entry?.details, {
    ...{ id: tagged['id'], action: 'tag', stopped: false, changed: 1 },
  })
  const [change] = await db.column<string>(
    sql`select id from bulk_change where workspace_id = ${acme.id}`,
  )
  const foreign = '/workspaces/other/api/v1/audience/bulk'
  assertAnswered(await stranger.ask(`GET ${foreign}`), 200, { data: [] })
  assertRefused(await stranger.ask(`POST ${foreign}/${change}/stop`), 'not_found')
})

test('a workspace has a few changes at once, and a selection is one of both', async () => {
  const id = await add('g1')
  const selection = { ids: [id, await add('g3')] }
  for (let n = 0; n < 5; n++)
    assertAnswered(await begin('unsubscribe', { selection, reason: 'x' }), 202)
  assertRefused(await begin('unsubscribe', { selection, reason: 'x' }), 'conflict', {
    ...{ reason: 'bulk_changes', limit: 5 },
  })
  // One that was frozen beside the fifth leaves nothing behind.
  const late = api.service.makeId()
  await insertBulkChange(db, acme.id, {
    ...{ id: late, action: 'tag', parameters: { tag: 'x' }, contacts: 0, userEmail: '' },
  })
  assert.equal(
    await startBulkChange(db, acme.id, {
      ...{ id: late, parameters: { tag: 'x' }, unfinishedMax: 5, waitSeconds: 0 },
    }),
    false,
  )
  assert.equal(await bulkChangeById(db, acme.id, late), null)
  for (const wrong of [{}, { ids: [id], matching: {} }])
    assertRefused(await begin('untag', { selection: wrong, tag: 'vip' }), 'validation_error', {
      rule: 'one_selection',
    })
})

test('a refused change, and a file too many, freeze nobody', async () => {
  const frozen = () =>
    db.onlyValue<number>(
      sql`select count(*) as count from bulk_change_contact where workspace_id = ${acme.id}`,
    )
  const selection = { matching: {} }
  const before = await frozen()
  await db.transaction(async (tx) => {
    // A freeze would wait for this lock, and end after its time.
    await tx.ask(sql`lock table bulk_change_contact in exclusive mode`)
    assertRefused(await begin('tag', { selection, tag: 'x' }), 'conflict', {
      reason: 'bulk_changes',
    })
  })
  assert.equal(await frozen(), before)
  const body = { selection: { ids: [await add('g2')] } }
  const fresh = await signIn(api, { email: 'ida@example.com', in: { [acme.id]: 'editor' } })
  const make = () => fresh.ask(`POST ${bulk}/export`, { body })
  for (let n = 0; n < 10; n++) assertAnswered(await make(), 201)
  const refused = await make()
  assertRefused(refused, 'conflict', { reason: 'bulk_exports', limit: 10, minutes: 15 })
  await db.count(sql`
    update bulk_change set created_at = created_at - interval '15 minutes'
    where workspace_id = ${acme.id} and action = 'export'`)
  assertAnswered(await make(), 201)
})

test('a change of one contact starts beside as many of many as a workspace may have, and has its own bound', async () => {
  const first = await add('one1')
  const selection = { ids: [first] }
  const body = { selection, reason: 'x' }
  const started = await begin('unsubscribe', body)
  assertAnswered(started, 202, { state: 'waiting', contacts: 1, contact: first })
  const [newest] = at((await editor.ask(`GET ${bulk}`)).body, 'data') as unknown[]
  assert.equal(at(newest, 'id'), textAt(started, 'id'))
  for (let n = 1; n < 10; n++) assertAnswered(await begin('unsubscribe', body), 202)
  assertRefused(await begin('unsubscribe', body), 'conflict', {
    ...{ reason: 'bulk_changes_of_one', limit: 10 },
  })
  const left = await db.onlyValue<number>(sql`
    select count(*)::int as count from bulk_change_contact where subscriber_id = ${first}`)
  assert.equal(left, 10, 'the one that was refused leaves nothing behind')
  await endAll()
  // None of many leaves the list for them.
  const many = await begin('unsubscribe', {
    selection: { ids: [first, await add('one2')] },
    reason: 'x',
  })
  for (let n = 0; n < 25; n++) {
    assertAnswered(await begin('unsubscribe', body), 202)
    await endAll()
  }
  assertPart(await listed(textAt(many, 'id')), { contacts: 2, contact: null })
})

test('a contact who is no subscriber is erased by their address, after the wait, and 404 where nothing is known', async () => {
  const email = 'only-mail@example.com'
  await db.count(sql`
    insert into suppression (workspace_id, id, email, reason, created_at)
    values (${acme.id}, gen_random_uuid(), ${email}, 'manual', facteur_now())`)
  const fresh = await signIn(api, { email: 'lin@example.com', in: { [acme.id]: 'editor' } })
  const erase = (selection: object) => fresh.ask(`POST ${bulk}/erase`, { body: { selection } })
  const of = (address: string) => erase({ address })
  assertRefused(await of('nobody-knows@example.com'), 'not_found')
  const parametersOf = (change: Answer) =>
    db.value(sql`select parameters from bulk_change where id = ${textAt(change, 'id')}`)
  const stopped = await of(email)
  assertAnswered(await editor.ask(`POST ${bulk}/${textAt(stopped, 'id')}/stop`), 200)
  const own = (change: Answer) => ({ contact: textAt(change, 'id') })
  assert.deepEqual(await parametersOf(stopped), own(stopped))
  const started = await of('Only-Mail@example.com')
  assertAnswered(started, 202, { state: 'waiting', contacts: 1, contact: email })
  const named = () =>
    db.value<number>(sql`
      select count(*)::int as count from suppression
      where workspace_id = ${acme.id} and email = ${email}`)
  assert.equal(await named(), 1)
  await db.count(sql`
    update bulk_change set next_at = facteur_now() where id = ${textAt(started, 'id')}`)
  await db.count(sql`update due set next_at = facteur_now() where workspace_id = ${acme.id}`)
  api.service.wake('bulk')
  assertPart(await result(textAt(started, 'id')), {
    ...{ state: 'completed', changed: 1, ...own(started) },
  })
  assert.equal(await named(), 0)
  assert.deepEqual(await parametersOf(started), own(started))
  const foreignId = await add('g4', {}, other.key)
  const both = { ids: [foreignId], address: email }
  assertRefused(await erase(both), 'validation_error', {
    rule: 'one_selection',
  })
})

test('the address of a contact under erasure is stored from its beginning to its end, and leaves with another erasure', async () => {
  await endAll()
  const email = 'under-erasure@example.com'
  await db.count(sql`
    insert into suppression (workspace_id, id, email, reason, created_at)
    values (${acme.id}, gen_random_uuid(), ${email}, 'manual', facteur_now())`)
  const holders = () =>
    db.column<string>(sql`
      select state from bulk_change
      where workspace_id = ${acme.id} and strpos(parameters::text, ${email}) > 0`)
  // As a process leaves it that is killed before the change begins.
  const killed = api.service.makeId()
  const parameters = { contact: killed, address: email }
  await insertBulkChange(db, acme.id, {
    ...{ id: killed, action: 'erase', parameters, contacts: 1, userEmail: '' },
  })
  assert.deepEqual(await holders(), [])
  const fresh = await signIn(api, { email: 'mo@example.com', in: { [acme.id]: 'editor' } })
  const started = await fresh.ask(`POST ${bulk}/erase`, {
    body: { selection: { address: email } },
  })
  assertAnswered(started, 202, { contact: email })
  assert.deepEqual(await holders(), ['waiting'])
  await eraseContact(api.service, { workspaceId: acme.id, email })
  assert.deepEqual(await holders(), [])
  assert.doesNotMatch(JSON.stringify((await editor.ask(`GET ${bulk}`)).body), /under-erasure/)
  await db.count(sql`
    update bulk_change set next_at = facteur_now() where id = ${textAt(started, 'id')}`)
  await db.count(sql`update due set next_at = facteur_now() where workspace_id = ${acme.id}`)
  api.service.wake('bulk')
  assertPart(await result(textAt(started, 'id')), {
    ...{ changed: 0, left_out: [{ reason: 'gone', contacts: 1 }] },
  })
})

test('a change that is asked to stop while it runs ends before the next contact', async () => {
  const id = await add('i1')
  await endAll()
  const started = await begin('unsubscribe', { selection: { ids: [id] }, reason: 'x' })
  const change = textAt(started, 'id')
  await db.count(sql`update bulk_change set state = 'running' where id = ${change}`)
  const stopped = await editor.ask(`POST ${bulk}/${change}/stop`)
  assertAnswered(stopped, 200, { state: 'running', stopping: true })
  await api.moveClock('1 hour')
  assertPart(await result(change), { state: 'stopped', done: 0, changed: 0 })
  assert.equal(await frozenOf(started), 0)
  assert.equal(await statusOf(id), 'subscribed')
})

test('after a restore, changes that had not ended are stopped: a member begins them again', async () => {
  const id = await add('h1')
  await endAll()
  const selection = { ids: [id] }
  const waiting = await begin('unsubscribe', { selection, reason: 'x' })
  const running = await begin('unsubscribe', { selection, reason: 'y' })
  await db.count(sql`
    update bulk_change set state = 'running', next_at = facteur_now() + interval '1 day'
    where id = ${textAt(running, 'id')}`)
  await api.run(
    `insert into installation (master_key_fingerprint, language, created_at) values ('\\x00', 'en', facteur_now())`,
  )
  await markRestoredByOthers(api.database.url)
  assert.equal(await withholdPending(api.database.url), true)
  await api.moveClock('2 days')
  for (const change of [waiting, running]) {
    const row = await db.row<{ state: string; nextAt: Date | null; parameters: object }>(sql`
      select state, next_at, parameters from bulk_change where id = ${textAt(change, 'id')}`)
    assert.deepEqual(row, { state: 'stopped', nextAt: null, parameters: { contact: id } })
  }
  assert.equal(await statusOf(id), 'subscribed')
})
