/**
 * Segments: members define, count, list and export parts of the audience; a definition is stored
 * with identifiers, and refused with the path of its wrong part.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { openSegmentExport } from '../../src/core/audience/segments/export-segment.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { callVerb } from '../support/call-verb.ts'
import { at } from '../support/json.ts'
import { untilWaits } from '../support/database.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { open, press } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const here = '/workspaces/acme/api/v1'
const segments = `${here}/audience/segments`
const editor = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'editor' } })
const owner = await signIn(api, { email: 'grace@example.com', in: { [acme.id]: 'owner' } })

const add = (name: string, body: object = {}, key = acme.key): Promise<Answer> =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key,
    body: { email: `${name}@example.com`, double_opt_in: false, ...body },
  })
const make = (name: string, definition: unknown): Promise<Answer> =>
  editor.ask(`POST ${segments}`, { body: { name, definition } })
const count = (definition: unknown): Promise<Answer> =>
  editor.ask(`POST ${segments}/count`, { body: { definition } })
const totalOf = (answer: Answer): unknown => at(answer.body, 'contacts')
const emailsIn = (answer: Answer, list: string): unknown[] =>
  (at(answer.body, list) as unknown[]).map((entry) => at(entry, 'email'))

await add('a', { tags: ['vip'], fields: { city: 'Paris' } })
await add('b', { tags: ['vip'], fields: { city: 'PARIS' } })
await add('c', { fields: { city: 'Lyon' } })
await add('d')
await add('stranger', { tags: ['vip'], fields: { city: 'Paris' } }, other.key)

test('201: a segment is stored by the identifiers of its fields, and shown by their keys', async () => {
  const definition = { all: [{ tag: 'VIP' }, { field: 'city', is: 'paris' }] }
  const created = await make('Parisians', definition)
  assertAnswered(created, 201, { object: 'segment', name: 'Parisians', definition, version: 1 })
  const id = textAt(created, 'id')
  const stored = await db.onlyValue<unknown>(sql`select definition from segment where id = ${id}`)
  assert.match(String(at(stored, 'all', '1', 'field')), /^[0-9a-f-]{36}$/)
  assertAnswered(await editor.ask(`GET ${segments}/${id}`), 200, { definition })
  assertAnswered(await editor.ask(`GET ${segments}`), 200, { data: [{ id, definition }] })
  assertRefused(await make('Parisians', definition), 'conflict', { reason: 'segment_exists' })

  const changed = { any: [definition, { field: 'city', empty: true }] }
  const path = `PATCH ${segments}/${id}`
  assertAnswered(await editor.ask(path, { body: { definition: changed } }), 200, { version: 2 })
  const renamed = { name: 'Locals', definition: changed }
  assertAnswered(await editor.ask(path, { body: renamed }), 200, { name: 'Locals', version: 2 })
  const deleteField = () => editor.ask(`DELETE ${here}/audience/fields/city`)
  assertRefused(await deleteField(), 'conflict', {
    reason: 'field_in_segments',
    segments: ['Locals'],
  })
  assertAnswered(await editor.ask(`DELETE ${segments}/${id}`), 200, { deleted: true })
  assertRefused(await editor.ask(`GET ${segments}/${id}`), 'not_found')
  const acts = await db.column<string>(sql`
    select act from audit_log where workspace_id = ${acme.id} and act like 'segment.%' order by id`)
  const expected = 'created changed changed deleted'.split(' ').map((act) => `segment.${act}`)
  assert.deepEqual(acts, expected)
})

test('409 segment_exists: a segment takes the name of no other, in any letters, also at once', async () => {
  const named = async (name: string) => textAt(await make(name, { tag: 'vip' }), 'id')
  const ids = [await named('Nice'), await named('Cannes')]
  const rename = (id: string | undefined, name: string) =>
    editor.ask(`PATCH ${segments}/${id}`, { body: { name } })
  assertRefused(await rename(ids[1], ' nICE '), 'conflict', {
    ...{ reason: 'segment_exists', name: 'nICE' },
  })
  assertAnswered(await rename(ids[0], 'NICE'), 200, { name: 'NICE', version: 1 })
  // Its statement waits for the other rename, which no earlier look could see.
  const { overtaken } = await db.transaction(async (tx) => {
    await tx.count(sql`update segment set name = 'Antibes' where id = ${ids[0]}`)
    const waiting = rename(ids[1], 'ANTIBES')
    await untilWaits(api.database.url, 'update segment')
    return { overtaken: waiting }
  })
  assertRefused(await overtaken, 'conflict', { reason: 'segment_exists', name: 'ANTIBES' })
  for (const id of ids) assertAnswered(await editor.ask(`DELETE ${segments}/${id}`), 200)
})

test('a count of a definition that is being written, with a sample, newest first; of this workspace alone', async () => {
  const vips = await count({ tag: 'vip' })
  assertAnswered(vips, 200, { object: 'segment_count', contacts: 2, subscribed: 2 })
  assert.deepEqual(emailsIn(vips, 'sample'), ['b@example.com', 'a@example.com'])
  assertAnswered(await count({ field: 'city', is_not: 'paris' }), 200, { contacts: 2 })
  assertAnswered(await count({ none: [] }), 200, { contacts: 4 })
  assertAnswered(await count({ any: [] }), 200, { contacts: 0, sample: [] })
})

test('pages of members and the export hold the same contacts', async () => {
  const id = textAt(await make('With a city', { field: 'city', empty: false }), 'id')
  const first = await editor.ask(`GET ${segments}/${id}/members?limit=2`)
  assertAnswered(first, 200, { has_more: true })
  const cursor = textAt(first, 'next_cursor')
  const next = await editor.ask(`GET ${segments}/${id}/members?limit=2&cursor=${cursor}`)
  assertAnswered(next, 200, { has_more: false })
  const emails = [...emailsIn(first, 'data'), ...emailsIn(next, 'data')]
  assert.deepEqual(emails, ['c@example.com', 'b@example.com', 'a@example.com'])
  const bulk = `${here}/audience/bulk`
  const { body } = await editor.ask(`GET ${segments}/${id}`)
  const selection = { matching: { definition: at(body, 'definition') } }
  const exported = await editor.ask(`POST ${bulk}/export`, { body: { selection } })
  const answer = await fetch(`${api.baseUrl}${bulk}/${textAt(exported, 'id')}/file`, {
    headers: { cookie: editor.cookie },
  })
  const lines = (await answer.text()).trim().split('\r\n')
  assert.match(lines[0] ?? '', /^email,firstName/)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(',')[0]),
    emails,
  )
  assertRefused(await editor.ask(`GET ${segments}/${id}/members?cursor=x`), 'validation_error')
})

test('an export holds the contacts of one moment, also when it is read later; who is erased meanwhile is left out', async () => {
  const shop = await api.workspace('exporter')
  for (const name of ['a', 'b', 'c']) await add(name, { fields: { city: 'Paris' } }, shop.key)
  const body = { name: 'Somewhere', definition: { field: 'city', empty: false } }
  const { id } = await callVerb(api.service, shop.id, 'createSegment', { body })
  const ctx = { ...api.service, workspaceId: shop.id }
  const { count: members, pages } = await openSegmentExport(ctx, id)
  await api.run(`
    update subscriber set fields = '{}', first_name = 'Now' where workspace_id = ${shop.id} and email like 'a@%';
    delete from subscriber where workspace_id = ${shop.id} and email like 'b@%'`)
  const rows = (await Array.fromAsync(pages)).flat()
  assert.equal(members, 3)
  assert.deepEqual(
    rows.map(({ email, firstName }) => [email, firstName]),
    [
      ['c@example.com', null],
      ['a@example.com', 'Now'],
    ],
  )
})

test('422 names the part: an unknown field, an operator that its type lacks, a campaign, a form', async () => {
  await editor.ask(`POST ${here}/audience/fields`, { body: { key: 'orders', type: 'number' } })
  const elsewhere = '01900000-0000-7000-8000-000000000001'
  const ofCampaigns = (length: number) => ({
    any: Array.from({ length }, () => ({ received: { campaign: elsewhere } })),
  })
  const cases: [definition: unknown, path: string, rule: string][] = [
    [ofCampaigns(10), 'definition.any.0.received.campaign', 'unknown'],
    [ofCampaigns(11), 'definition', 'details_conditions'],
    [{ all: [{ field: 'nothing', is: 'a' }] }, 'definition.all.0.field', 'unknown'],
    [{ field: 'orders', contains: '1' }, 'definition', 'field_operator'],
    [{ field: 'city', above: '1' }, 'definition', 'field_operator'],
    [{ field: 'orders', within_days: 90 }, 'definition', 'field_operator'],
    [{ field: 'orders', is: 'many' }, 'definition.is', 'field_number'],
    [{ received: { campaign: elsewhere } }, 'definition.received.campaign', 'unknown'],
    [{ source: 'form', form: 'x' }, 'definition.form', 'unknown'],
    [{ segment: elsewhere }, 'definition.segment', 'segment_in_segment'],
  ]
  for (const [definition, path, rule] of cases) {
    assertRefused(await count(definition), 'validation_error', { path, rule })
    assertRefused(await make('Wrong', definition), 'validation_error', { path, rule })
  }
})

test('422 with the date for a campaign whose details expired, when it is written and when it is counted', async () => {
  const campaign = '01900000-0000-7000-8000-00000000000a'
  await api.run(
    `insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at, completed_at)
     values (${acme.id}, '${campaign}', 'n', 's', 'text', '{}', 'sent', facteur_now(), facteur_now(), facteur_now())`,
  )
  const definition = { none: [{ opened: { campaign } }] }
  const id = textAt(await make('Did not open', definition), 'id')
  assertAnswered(await count(definition), 200, { contacts: 4 })
  await api.run(`update campaign set completed_at = '2024-01-01' where id = '${campaign}'`)
  const refusal = { rule: 'campaign_expired', path: 'definition.none.0.opened.campaign' }
  const refused = await count(definition)
  assertRefused(refused, 'validation_error', refusal)
  assert.match(JSON.stringify(refused.body), /2025-01-30/)
  assertRefused(await editor.ask(`GET ${segments}/${id}/members`), 'validation_error', refusal)
  const selection = { matching: { definition } }
  assertRefused(
    await editor.ask(`POST ${here}/audience/bulk/export`, { body: { selection } }),
    'validation_error',
    { ...refusal, path: `selection.matching.${refusal.path}` },
  )
  assertAnswered(await editor.ask(`GET ${segments}/${id}`), 200, { version: 1 })
})

test('a type that no longer has the operator: the stored segment says so, and is not silently empty', async () => {
  const id = textAt(await make('Many orders', { field: 'orders', above: '10' }), 'id')
  const type = `PATCH ${here}/audience/fields/orders/type`
  await owner.ask(type, { body: { type: 'text' } })
  const members = await editor.ask(`GET ${segments}/${id}/members`)
  assertRefused(members, 'validation_error', { rule: 'field_operator', expected: 'text' })
})

test('erased contacts match nothing', async () => {
  await add('erased', { tags: ['gone'] })
  const gone = { tag: 'gone' }
  assertAnswered(await count(gone), 200, { contacts: 1 })
  const everybody = at((await count({ all: [] })).body, 'contacts') as number
  const erased = await owner.ask(`POST ${here}/subscribers/erased@example.com/erase`, { body: {} })
  assert.ok(erased.status < 300, JSON.stringify(erased.body))
  assertAnswered(await count(gone), 200, { contacts: 0 })
  assertAnswered(await count({ none: [gone] }), 200, { contacts: everybody - 1 })
})

test('days are those of the workspace’s time zone', async () => {
  await add('late', { tags: ['late'] })
  await api.run(
    `update subscriber set created_at = '2026-03-01T02:00:00Z' where email = 'late@example.com'`,
  )
  const before = { all: [{ tag: 'late' }, { created: { before: '2026-03-01' } }] }
  assertAnswered(await count(before), 200, { contacts: 0 })
  await api.run(`update workspace set time_zone = 'America/New_York' where id = ${acme.id}`)
  assertAnswered(await count(before), 200, { contacts: 1 })
})

test('a date field in the last days: whole days of the workspace’s zone, and none to come', async () => {
  await editor.ask(`POST ${here}/audience/fields`, { body: { key: 'last_order', type: 'date' } })
  const dayOf = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone: 'Pacific/Kiritimati', year: 'numeric', month: '2-digit', day: '2-digit' },
  })
  const nowMs = api.service.clock.now().getTime()
  const dayBefore = (days: number) => dayOf.format(new Date(nowMs - days * 86_400_000))
  const days = { today: 0, edge: 2, older: 5, ahead: -3 }
  for (const [name, back] of Object.entries(days))
    await add(`order-${name}`, { fields: { last_order: dayBefore(back) } })
  const lately = (within_days: number) => ({ field: 'last_order', within_days })
  const zone = (name: string) =>
    api.run(`update workspace set time_zone = '${name}' where id = ${acme.id}`)
  // Its day is over there a day before it begins in the other zone.
  await zone('Pacific/Kiritimati')
  assertAnswered(await count(lately(3)), 200, { contacts: 2 })
  assertAnswered(await count(lately(10)), 200, { contacts: 3 })
  await zone('Pacific/Pago_Pago')
  assertAnswered(await count(lately(10)), 200, { contacts: 2 })
  assertAnswered(await count({ none: [lately(3_650)] }), 200, {
    contacts: Number(totalOf(await count({ all: [] }))) - 2,
  })
  await zone('UTC')
})

test('409 segment_timed_out: a count ends after five seconds, whatever it waits for', async () => {
  await db.transaction(async (tx) => {
    await tx.count(sql`lock table consent_evidence in access exclusive mode`)
    const slow = count({ consented: { never: true } })
    await untilWaits(api.database.url, 'consent_evidence')
    assertRefused(await slow, 'conflict', { reason: 'segment_timed_out', seconds: 5 })
  })
  assertAnswered(await count({ consented: { never: true } }), 200, { contacts: 0 })
})

test('two counts of a workspace run at once, ten wait, and a further one is refused with what to do', async () => {
  const blocked = db.transaction(async (tx) => {
    await tx.rows(sql`lock table subscriber in access exclusive mode`)
    const counts = Array.from({ length: 13 }, () => count({ tag: 'vip' }))
    const first = await Promise.race(counts)
    assertRefused(first, 'rate_limit_exceeded', { reason: 'segment_counts' })
    const waiting = await until(async () => {
      // Outside the transaction, which would read its first answer again.
      const running = await db.onlyValue<number>(sql`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%subscriber s%'`)
      return running === 2
    })
    assert.ok(waiting)
    return counts
  })
  const answers = await Promise.all(await blocked)
  assert.equal(answers.filter(({ status }) => status === 200).length, 12)
})

test('an owner sets the time zone of days; a name that is none is refused', async () => {
  const set = (time_zone: unknown) => owner.ask(`PATCH ${here}/settings`, { body: { time_zone } })
  assertAnswered(await set('Europe/Paris'), 200, { time_zone: 'Europe/Paris' })
  for (const wrong of ['Mars/Olympus', "x'; --", '+99:00'])
    assertRefused(await set(wrong), 'validation_error', { path: 'time_zone', rule: 'time_zone' })
  assertAnswered(await owner.ask(`GET ${here}/settings`), 200, { time_zone: 'Europe/Paris' })
  assertAnswered(await set(null), 200, { time_zone: null })
})

test('a contact who signed up by a form is found by that form, and by the language of its page', async () => {
  const form = textAt(await editor.ask(`POST ${here}/forms`, { body: { name: 'News' } }), 'id')
  const page = await open(api.baseUrl, `/forms/${form}`)
  await api.moveClock('10 seconds')
  await press(api.baseUrl, page, { email: 'visitor@example.com' })
  const byForm = { source: 'form', form }
  await until(
    async () => at((await count(byForm)).body, 'contacts'),
    (contacts) => contacts === 1,
  )
  const created = await make('By the form', { all: [byForm, { language: 'fr' }] })
  assertAnswered(created, 201, { definition: { all: [byForm, { language: 'fr' }] } })
  const another = textAt(await editor.ask(`POST ${here}/forms`, { body: { name: 'Other' } }), 'id')
  assertAnswered(await count({ source: 'form', form: another }), 200, { contacts: 0 })
  assertAnswered(await count({ all: [byForm, { language: 'fr' }] }), 200, { contacts: 1 })
})

test('409 segment_in_use: a segment that a draft goes to or leaves out is not deleted', async () => {
  const id = textAt(await make('In use', { tag: 'vip' }), 'id')
  const draft = textAt(
    await ask(api.baseUrl, 'POST /api/v1/campaigns', {
      key: acme.key,
      body: { name: 'News', subject: 'News', text: 'News' },
    }),
    'id',
  )
  const audience = (body: object) =>
    editor.ask(`POST ${here}/campaigns/${draft}/audience`, { body })
  for (const body of [{ to: { segment: id } }, { except: [{ segment: id }] }]) {
    assertAnswered(await audience(body), 200)
    const refused = await editor.ask(`DELETE ${segments}/${id}`)
    assertRefused(refused, 'conflict', { reason: 'segment_in_use', campaigns: [draft] })
  }
  assertAnswered(await audience({}), 200, { to: null, except: [] })
  assertAnswered(await editor.ask(`DELETE ${segments}/${id}`), 200)
})
