/**
 * The work of members with the audience: filters, adding and editing by hand, fields, export, and
 * the page of one subscriber.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { setConfirmationsPerMinute } from '../../src/db/audience/confirmation-pace.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const acme = await api.workspace('acme')
const here = '/workspaces/acme/api/v1'
const editor = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'editor' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })

const emailsIn = (answer: Answer): string[] =>
  (answer.body as { data: { email: string }[] }).data.map(({ email }) => email)
const result = async (query: string): Promise<string[]> => {
  const answer = await viewer.ask(`GET ${here}/subscribers?${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return emailsIn(answer)
}
/** Until the index of all that was written is whole. */
async function indexed(): Promise<void> {
  const left = () =>
    service.db.count(sql`select from subscriber_search_pending where workspace_id = ${acme.id}`)
  await until(left, (observed) => observed === 0)
}
const enrol = (body: object) =>
  editor.ask(`POST ${here}/subscribers`, { body: { consent: 'Asked at the fair', ...body } })

test('the queue of confirmations: its pace, and until when those wait that programs caused', async () => {
  const paced = await api.workspace('paced')
  const reader = await signIn(api, { in: { [paced.id]: 'viewer' } })
  const queue = () => reader.ask('GET /workspaces/paced/api/v1/audience/confirmations')
  assertAnswered(await queue(), 200, { object: 'confirmation_queue', per_minute: 60, until: null })
  await setConfirmationsPerMinute(service.db, paced.id, 1)
  const batch = await ask(api.baseUrl, 'POST /api/v1/subscribers/batch', {
    ...{ key: paced.key, body: [{ email: 'one@example.com' }, { email: 'two@example.com' }] },
  })
  const last = Date.parse(textAt(batch, 'confirmations', 'last_at'))
  const answer = await queue()
  assertAnswered(answer, 200, { per_minute: 1 })
  assert.ok(Date.parse(textAt(answer, 'until')) > last)
  assertAnswered(await viewer.ask(`GET ${here}/audience/confirmations`), 200, { until: null })
})

test('a member adds a subscriber by hand: the words of the consent and their author are its evidence', async () => {
  const added = await enrol({
    email: 'Grace@example.com',
    firstName: 'Grace',
    tags: ['vip'],
    fields: { city: 'Lyon' },
  })
  assertAnswered(added, 201, {
    email: 'grace@example.com',
    status: 'subscribed',
    source: 'workspace',
    tags: ['vip'],
    created: true,
  })
  const contact = await viewer.ask(`GET ${here}/contacts/${textAt(added, 'id')}`)
  assertAnswered(contact, 200, {
    email: 'grace@example.com',
    consents: [
      {
        act: 'registered',
        source: 'workspace',
        shown: 'Asked at the fair',
        person: 'ada@example.com',
      },
    ],
  })
  const answer = await enrol({ email: 'asked@example.com', consent: null })
  assertAnswered(answer, 201, { status: 'pending', confirmation_sent: true })
  const again = await viewer.ask(`GET ${here}/contacts/asked%40example.com`)
  assertAnswered(again, 200, {
    consents: [{ act: 'asked', source: 'workspace', person: 'ada@example.com' }],
  })
  assertRefused(await enrol({ email: 'x@example.com', consent: '    ' }), 'validation_error', {
    path: 'consent',
    rule: 'minLength',
  })
  // Only a key vouches without words.
  const wordless = { email: 'x@example.com', double_opt_in: false }
  assertRefused(
    await editor.ask(`POST ${here}/subscribers`, { body: wordless }),
    'validation_error',
    { path: 'consent', rule: 'required' },
  )
  // A batch has no words: its contacts are asked.
  const batch = await editor.ask(`POST ${here}/subscribers/batch`, {
    body: [wordless, { email: 'of-a-batch@example.com' }],
  })
  assertAnswered(batch, 200, {
    created: 1,
    data: [
      {
        result: 'refused',
        error: {
          code: 'validation_error',
          details: { path: 'double_opt_in', rule: 'users_ask' },
        },
      },
      { email: 'of-a-batch@example.com', status: 'pending' },
    ],
  })
  assertRefused(await enrol({ email: 'x@example.com', prenom: 7 }), 'validation_error', {
    path: 'prenom',
  })
  assertRefused(
    await viewer.ask(`POST ${here}/subscribers`, {
      body: { email: 'x@example.com', consent: null },
    }),
    'insufficient_role',
  )
})

test('an edit adds and removes tags, clears fields and leaves the status; a member unsubscribes by hand', async () => {
  const id = textAt(
    await enrol({
      email: 'edit@example.com',
      tags: ['a', 'b'],
      fields: { city: 'Rome', size: 'L' },
    }),
    'id',
  )
  const body = {
    lastName: 'Hopper',
    add_tags: ['c'],
    remove_tags: ['a'],
    fields: { size: '', color: 'red' },
  }
  const edited = await editor.ask(`PATCH ${here}/audience/${id}`, { body })
  assertAnswered(edited, 200, {
    lastName: 'Hopper',
    tags: ['b', 'c'],
    fields: { city: 'Rome', color: 'red' },
    status: 'subscribed',
  })
  assert.equal(at(edited.body, 'fields', 'size'), undefined)
  assertRefused(await viewer.ask(`PATCH ${here}/audience/${id}`, { body }), 'insufficient_role')
  assertRefused(
    await editor.ask(`PATCH ${here}/audience/${service.makeId()}`, { body }),
    'not_found',
  )
  assertAnswered(await editor.ask(`DELETE ${here}/subscribers/edit%40example.com`), 200, {
    status: 'unsubscribed',
  })
  const contact = await viewer.ask(`GET ${here}/contacts/${id}`)
  assertAnswered(contact, 200, {
    consents: [{}, { act: 'unsubscribed', source: 'workspace', person: 'ada@example.com' }],
    mailable: {
      single: false,
      campaigns: false,
      rules: [
        { finding: 'unsubscribed' },
        { rule: 'list', finding: 'unsubscribe' },
        {},
        {},
        {},
        {},
        {},
      ],
    },
  })
  assertAnswered(
    await editor.ask(`PATCH ${here}/audience/${id}`, { body: { firstName: 'Still' } }),
    200,
    {
      status: 'unsubscribed',
    },
  )
})

test("the audit log has members' additions, edits and unsubscriptions by identifier alone, and no act of programs", async () => {
  const owner = await signIn(api, { in: { [acme.id]: 'owner' } })
  const email = 'noted@example.com'
  const id = textAt(await enrol({ email }), 'id')
  assertAnswered(
    await editor.ask(`PATCH ${here}/audience/${id}`, {
      body: { firstName: 'Nora', add_tags: ['noted'] },
    }),
    200,
  )
  assertAnswered(await enrol({ email, lastName: 'Noted' }), 200)
  const program = { key: acme.key, body: { email, tags: ['by-program'] } }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/subscribers', program), 200)
  assertAnswered(await editor.ask(`DELETE ${here}/subscribers/${email}`), 200)
  // A repetition changes nothing, and is not logged.
  assertAnswered(await editor.ask(`DELETE ${here}/subscribers/${email}`), 200)
  const log = at((await owner.ask(`GET ${here}/audit`)).body, 'data') as {
    subject: string
    act: string
    details: object
    who: string
  }[]
  const reported = log
    .filter(({ subject }) => subject === id)
    .map(({ act, who, details }) => ({ act, who, details }))
  const who = 'ada@example.com'
  assert.deepEqual(reported, [
    { act: 'subscriber.unsubscribed', who, details: {} },
    { act: 'subscriber.edited', who, details: {} },
    { act: 'subscriber.edited', who, details: { parts: 'firstName, add_tags' } },
    { act: 'subscriber.added', who, details: {} },
  ])
  assert.ok(!JSON.stringify(log).includes(email))
})

test('filters by tag, source, field, value, status and name hold together, a moment after a change and once it is indexed', async () => {
  await enrol({
    email: 'f1@example.com',
    firstName: 'Zoé',
    tags: ['news'],
    fields: { town: 'Évry' },
  })
  await enrol({ email: 'f2@example.com', tags: ['news', 'old'], fields: { town: 'Paris' } })
  const body = { email: 'f3@example.com', tags: ['news'], double_opt_in: false }
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: acme.key, body })
  for (const isIndexed of [false, true]) {
    if (isIndexed) await indexed()
    assert.deepEqual(await result('tag=news'), [
      'f3@example.com',
      'f2@example.com',
      'f1@example.com',
    ])
    assert.deepEqual(await result('tag=news&source=api'), ['f3@example.com'])
    assert.deepEqual(await result('field=town'), ['f2@example.com', 'f1@example.com'])
    assert.deepEqual(await result('field=town&value=evry'), ['f1@example.com'])
    assert.deepEqual(
      await result('tag=news&field=town&value=paris&status=subscribed&source=workspace'),
      ['f2@example.com'],
    )
    assert.deepEqual(await result('tag=news&q=zoe'), ['f1@example.com'])
    assert.deepEqual(await result('tag=news&status=pending'), [])
    assert.deepEqual(await result('tag=New'), [])
  }
  const id = textAt(await viewer.ask(`GET ${here}/contacts/f1%40example.com`), 'subscriber', 'id')
  await editor.ask(`PATCH ${here}/audience/${id}`, { body: { remove_tags: ['news'] } })
  assert.deepEqual(
    await result('tag=news'),
    ['f3@example.com', 'f2@example.com'],
    'a removed tag is not found, even while the index has it',
  )
  await indexed()
  const [row] = await service.db.rows<{ count: number }>(sql`
    select count(*) as count from subscriber_trait where workspace_id = ${acme.id} and subscriber_id = ${id}`)
  assert.equal(row?.count, 3, 'source, field and value are left')
})

test('pages go on where they ended; a cursor of another filter is refused', async () => {
  const first = await viewer.ask(`GET ${here}/subscribers?tag=news&limit=1`)
  assertAnswered(first, 200, { has_more: true, data: [{ email: 'f3@example.com' }] })
  const cursor = textAt(first, 'next_cursor')
  assertAnswered(
    await viewer.ask(`GET ${here}/subscribers?tag=news&limit=1&cursor=${cursor}`),
    200,
    {
      data: [{ email: 'f2@example.com' }],
      has_more: false,
    },
  )
  assertRefused(
    await viewer.ask(`GET ${here}/subscribers?tag=old&limit=1&cursor=${cursor}`),
    'validation_error',
  )
})

test('tags are suggested in any case; fields are defined, renamed, and deleted once no subscriber has them', async () => {
  assertAnswered(await viewer.ask(`GET ${here}/audience/tags?q=NE`), 200, {
    data: ['news'],
    has_more: false,
  })
  const body = { key: 'shoe_size', label: 'Shoe size' }
  assertAnswered(await editor.ask(`POST ${here}/audience/fields`, { body }), 201, body)
  assertRefused(await editor.ask(`POST ${here}/audience/fields`, { body }), 'conflict', {
    reason: 'field_exists',
  })
  assertRefused(
    await editor.ask(`POST ${here}/audience/fields`, { body: { key: 'Not A Key' } }),
    'validation_error',
  )
  assertRefused(
    await viewer.ask(`POST ${here}/audience/fields`, { body: { key: 'x' } }),
    'insufficient_role',
  )
  assertAnswered(
    await editor.ask(`PATCH ${here}/audience/fields/shoe_size`, { body: { label: null } }),
    200,
    { label: null },
  )
  assertRefused(await editor.ask(`DELETE ${here}/audience/fields/town`), 'conflict', {
    reason: 'field_in_use',
  })
  assertAnswered(await editor.ask(`DELETE ${here}/audience/fields/shoe_size`), 200, {
    key: 'shoe_size',
  })
  assertRefused(await editor.ask(`DELETE ${here}/audience/fields/shoe_size`), 'not_found')
})

test('an export holds the subscribers that the filters leave, with formulas disarmed, and stands in the audit log', async () => {
  await enrol({
    email: 'formula@example.com',
    firstName: '=HYPERLINK("http://x")',
    lastName: '+1',
    tags: ['odd'],
    fields: { city: '-2' },
  })
  const body = { selection: { matching: { tag: 'odd' } } }
  const exported = await editor.ask(`POST ${here}/audience/bulk/export`, { body })
  const file = `${here}/audience/bulk/${textAt(exported, 'id')}/file`
  const response = await fetch(`${api.baseUrl}${file}`, { headers: { cookie: editor.cookie } })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /attachment; .*subscribers-\d{4}-\d{2}-\d{2}\.csv/,
  )
  const lines = Buffer.from(await response.arrayBuffer())
    .toString()
    .split('\r\n')
  assert.equal(lines[0]?.startsWith('\ufeffemail,firstName,lastName,status,tags,fields.city'), true)
  assert.equal(
    lines[1]?.startsWith(`formula@example.com,"'=HYPERLINK(""http://x"")",'+1,subscribed,odd,'-2,`),
    true,
  )
  assert.deepEqual(lines.slice(2), [''])
  const acts = await service.db.rows<{ contacts: string; who: string }>(sql`
    select details ->> 'contacts' as contacts, who from audit_log where workspace_id = ${acme.id} and act = 'subscribers.exported'`)
  assert.deepEqual(acts, [{ contacts: '1', who: 'ada@example.com' }])
  assertRefused(
    await viewer.ask(`POST ${here}/audience/bulk/export`, { body }),
    'insufficient_role',
  )
})

test('the page of a subscriber shows each mail with its outcome, and each rule on whether they can be mailed', async () => {
  const from = `hello@${acme.domain}`
  const send = async (to: string, subject: string): Promise<string> => {
    const sent = await ask(api.baseUrl, 'POST /api/v1/emails', {
      key: acme.key,
      body: { from, to, subject, text: 'x' },
    })
    return textAt(sent, 'id')
  }
  const bounced = await send('bounced@simulator.test', 'Your invoice')
  await settled('bounced@simulator.test', 'bounced')
  const mails = await viewer.ask(`GET ${here}/contacts/bounced%40simulator.test/mails`)
  assertAnswered(mails, 200, {
    data: [{ kind: 'single', id: bounced, subject: 'Your invoice', status: 'bounced' }],
    has_more: false,
  })
  const contact = await viewer.ask(`GET ${here}/contacts/bounced%40simulator.test`)
  assertAnswered(contact, 200, {
    subscriber: null,
    suppression: [{ reason: 'bounce' }],
    mailable: {
      single: false,
      campaigns: false,
      rules: [
        { rule: 'status', finding: 'stranger', blocks: 'campaigns' },
        { rule: 'list', finding: 'bounce', blocks: 'everything' },
        { rule: 'platform', finding: 'clear', blocks: 'nothing' },
        { rule: 'bounces' },
        { rule: 'sending', finding: 'active' },
        { rule: 'sender', finding: 'ready', detail: from },
        { rule: 'quota', finding: 'unlimited' },
      ],
    },
  })
  assertRefused(await viewer.ask(`GET ${here}/contacts/nobody%40example.com`), 'not_found')
  assertRefused(await viewer.ask(`GET ${here}/contacts/no-address`), 'not_found')
})

async function settled(email: string, status: string): Promise<void> {
  await until(() =>
    service.db.count(sql`
      select 1 from recipient where workspace_id = ${acme.id} and address_key = ${email} and status = ${status}`),
  )
}

test('the page of a subscriber shows the subject of a campaign as it was sent to them, with its merge tags filled', async () => {
  const letters = await api.workspace('letters')
  const owner = await signIn(api, { in: { [letters.id]: 'owner' } })
  const base = '/workspaces/letters/api/v1'
  const enrolled = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: letters.key,
    body: { email: 'ada@example.com', firstName: 'Ada', double_opt_in: false },
  })
  const body = {
    name: 'Spring',
    subject: 'Hello {{firstName}}, of {{fields.city | default: "your town"}}',
    text: 'x',
  }
  const campaign = textAt(await owner.ask(`POST ${base}/campaigns`, { body }), 'id')
  assertAnswered(
    await owner.ask(`POST ${base}/campaigns/${campaign}/send?confirm_recipients=1`),
    202,
  )
  await service.db.count(sql`
    insert into engagement (workspace_id, id, kind, visitor, at, user_agent, campaign_id, subscriber_id)
    values (${letters.id}, ${service.makeId()}, 'open', 'person', facteur_now(), 'x', ${campaign}, ${textAt(enrolled, 'id')})`)
  const subject = 'Hello Ada, of your town'
  assertAnswered(await owner.ask(`GET ${base}/contacts/ada%40example.com/mails`), 200, {
    data: [{ kind: 'campaign', id: campaign, name: 'Spring', subject }],
  })
  assertAnswered(await owner.ask(`GET ${base}/contacts/ada%40example.com/engagement`), 200, {
    data: [{ campaign_id: campaign, subject }],
  })
})

test('a contact is erased by an editor and not by a viewer: 404 after, and the log does not say who', async () => {
  const id = textAt(await enrol({ email: 'gone@example.com', tags: ['news'] }), 'id')
  await indexed()
  const erase = { body: { selection: { address: 'Gone@example.com' } } }
  assertRefused(await viewer.ask(`POST ${here}/audience/bulk/erase`, erase), 'insufficient_role')
  const started = await editor.ask(`POST ${here}/audience/bulk/erase`, erase)
  assertAnswered(started, 202, { contact: id, state: 'waiting' })
  await service.db.count(sql`
    update bulk_change set next_at = facteur_now() where id = ${textAt(started, 'id')}`)
  await service.db.count(sql`
    update due set next_at = facteur_now() where workspace_id = ${acme.id} and lane = 'bulk'`)
  service.wake('bulk')
  await until(
    () => viewer.ask(`GET ${here}/contacts/${id}`),
    ({ status }) => status === 404,
  )
  const left = await service.db.rows(
    sql`select 1 from subscriber_trait where workspace_id = ${acme.id} and subscriber_id = ${id}`,
  )
  assert.equal(left.length, 0)
  const [act] = await service.db.rows<{ subject: string }>(sql`
    select subject from audit_log where workspace_id = ${acme.id} and act = 'subscribers.erased'`)
  assert.equal(act?.subject, '')
})

test('404: nothing of another workspace is read or changed by its identifiers', async () => {
  const other = await api.workspace('other')
  const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
  const id = textAt(
    await viewer.ask(`GET ${here}/contacts/grace%40example.com`),
    'subscriber',
    'id',
  )
  const there = '/workspaces/other/api/v1'
  for (const line of [
    `GET ${there}/contacts/${id}`,
    `GET ${there}/contacts/${id}/mails`,
    `GET ${there}/contacts/${id}/engagement`,
  ])
    assertRefused(await stranger.ask(line), 'not_found')
  assertRefused(
    await stranger.ask(`PATCH ${there}/audience/${id}`, { body: { firstName: 'x' } }),
    'not_found',
  )
  assertRefused(
    await stranger.ask(`POST ${there}/audience/bulk/erase`, {
      body: { selection: { address: 'grace@example.com' } },
    }),
    'not_found',
  )
  assert.deepEqual(emailsIn(await stranger.ask(`GET ${there}/subscribers?tag=vip`)), [])
  assertRefused(await stranger.ask(`GET ${here}/subscribers`), 'not_found')
})
