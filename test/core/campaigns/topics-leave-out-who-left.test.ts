/**
 * A campaign for a topic reaches those who are subscribed and did not leave the topic, and says how
 * many it leaves out; a campaign by a key is for no topic.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { signIn } from '../../support/sign-in.ts'
import { open } from '../../support/signed-in-visitor.ts'
import { until } from '../../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db } = api.service
const base = api.baseUrl
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const here = '/workspaces/acme/api/v1'
const editor = await signIn(api, { in: { [acme.id]: 'editor', [other.id]: 'editor' } })
const nobody = '00000000-0000-0000-0000-000000000000'

const makeTopic = async (name: string, byItself: string, slug = 'acme'): Promise<string> =>
  textAt(
    await editor.ask(`POST /workspaces/${slug}/api/v1/audience/topics`, {
      body: { name, default_subscription: byItself },
    }),
    'id',
  )
const news = await makeTopic('News', 'opt_in')
const events = await makeTopic('Events', 'opt_out')
const foreign = await makeTopic('Elsewhere', 'opt_in', 'other')

const byKey = (line: string, body?: object): Promise<Answer> =>
  ask(base, line, { key: acme.key, ...(body && { body }) })

/** Contacts choose on their page. */
async function chooseOnPage(contactId: string, ticked: string[]): Promise<void> {
  const token = api.service.linkTokens.make('unsubscribe', {
    ...{ workspaceId: acme.id, first: nobody, second: contactId },
  })
  const boxes = Object.fromEntries(ticked.map((id) => [`topic.${id}`, 'on']))
  const body = new URLSearchParams({ topics: `${news} ${events}`, ...boxes })
  assert.equal((await open(base, `/preferences/${token}`, { method: 'POST', body })).status, 200)
}

const contactIds = new Map<string, string>()
async function addContact(name: string, ticked?: string[]): Promise<string> {
  const email = `${name}@example.com`
  const added = await byKey('POST /api/v1/subscribers', { email, double_opt_in: false })
  contactIds.set(name, textAt(added, 'id'))
  if (ticked !== undefined) await chooseOnPage(textAt(added, 'id'), ticked)
  return email
}
const contactId = (name: string): string => contactIds.get(name) ?? assert.fail(name)

await addContact('never-chose')
await addContact('both', [news, events])
await addContact('only-events', [events])
await addContact('neither', [])
for (const [name, reason] of [['left', 'unsubscribe'] as const, ['bounced', 'bounce'] as const])
  await byKey('POST /api/v1/suppression', { email: await addContact(name, [news, events]), reason })
await api.suppressOnPlatform(await addContact('platform', [events]))

async function draft(topic: string | null): Promise<string> {
  const mail = { name: 'News', subject: 's', text: 't' }
  const id = textAt(await byKey('POST /api/v1/campaigns', mail), 'id')
  if (topic !== null) assertAnswered(await choose(id, topic), 200)
  return id
}
const choose = (id: string, topic: string | null): Promise<Answer> =>
  editor.ask(`POST ${here}/campaigns/${id}/topic`, { body: { topic } })

async function sendTo(id: string): Promise<string[]> {
  const sent = await editor.ask(
    `POST ${here}/campaigns/${id}/send?confirm_recipients=${await reach(id)}`,
  )
  assertAnswered(sent, 202)
  const frozen = await db.column<string>(
    sql`select email from campaign_recipient where workspace_id = ${acme.id} and campaign_id = ${id} order by email`,
  )
  return frozen.map((email) => email.split('@')[0] ?? '')
}
const reachOf = async (id: string) => (await editor.ask(`GET ${here}/campaigns/${id}/reach`)).body
const reach = async (id: string): Promise<number> => Number(at(await reachOf(id), 'reachable'))
const leftOut = async (id: string): Promise<unknown> => {
  const reasons = at(await reachOf(id), 'notReached') as { reason: string }[]
  return reasons.find(({ reason }) => reason === 'excluded_topic') ?? null
}
/** What became of each: its reason, where it got no mail. */
async function outcomesOf(id: string): Promise<Record<string, unknown>> {
  const { body } = await editor.ask(`GET ${here}/campaigns/${id}/recipients`)
  const rows = at(body, 'data') as { email: string; outcome: string; reason: object | null }[]
  return Object.fromEntries(
    rows.map(({ email, outcome, reason }) => [
      email.split('@')[0],
      at(reason ?? {}, 'detail') ?? outcome,
    ]),
  )
}
const untilSent = (id: string): Promise<unknown> =>
  until(
    async () => at((await byKey(`GET /api/v1/campaigns/${id}`)).body, 'status'),
    (status) => status === 'sent',
  )
const topicOf = async (id: string): Promise<unknown> =>
  at((await byKey(`GET /api/v1/campaigns/${id}`)).body, 'topic')

test('202: who left the topic is left out, counted before the send and stored with it', async () => {
  const id = await draft(news)
  const counted = { reason: 'excluded_topic', name: 'News', count: 2, more: false }
  assert.deepEqual([await reach(id), await leftOut(id)], [2, counted])
  const preflight = await editor.ask(`POST ${here}/campaigns/${id}/preflight`)
  assert.equal(at(preflight.body, 'audience', 'reachable'), 2)
  assert.ok(JSON.stringify(at(preflight.body, 'findings')).includes('excluded_topic'))
  assert.deepEqual(await topicOf(id), { id: news, name: 'News', left_out: null })
  assert.deepEqual(await sendTo(id), ['both', 'never-chose'])
  assert.deepEqual(await topicOf(id), { id: news, name: 'News', left_out: 2 })
  await editor.ask(`POST ${here}/campaigns/${id}/undo`)
  assert.deepEqual(await topicOf(id), { id: news, name: 'News', left_out: null })
})

test('202: a topic that contacts join reaches those who joined it alone', async () => {
  const id = await draft(events)
  assert.deepEqual([await reach(id), at(await leftOut(id), 'count')], [2, 2])
  assert.deepEqual(await sendTo(id), ['both', 'only-events'])
  assert.deepEqual(await topicOf(id), { id: events, name: 'Events', left_out: 2 })
})

test('a topic stays while a send can be undone; the copy of a campaign whose topic is gone goes to nobody', async () => {
  const topic = textAt(
    await editor.ask(`POST ${here}/audience/topics`, { body: { name: 'Passing' } }),
    'id',
  )
  const id = await draft(topic)
  await sendTo(id)
  const remove = () => editor.ask(`DELETE ${here}/audience/topics/${topic}`)
  assertRefused(await remove(), 'conflict', { reason: 'topic_in_use' })
  await api.moveClock('2 minutes')
  await until(
    () => remove(),
    ({ status }) => status < 300,
  )
  await api.moveClock('0')
  const copied = await editor.ask(`POST ${here}/campaigns/${id}/duplicate`, { body: {} })
  const copy = textAt(copied, 'campaign', 'id')
  assertRefused(await byKey(`POST /api/v1/campaigns/${copy}/send`), 'conflict', {
    reason: 'targeted',
  })
  const sent = await editor.ask(`POST ${here}/campaigns/${copy}/send?confirm_recipients=4`)
  assertRefused(sent, 'validation_error', { path: 'topic', rule: 'unknown' })
})

test('who leaves the topic after the freeze gets no mail, and is counted with its reason; sent again, neither', async () => {
  const id = await draft(news)
  assert.deepEqual(await sendTo(id), ['both', 'never-chose'])
  await chooseOnPage(contactId('both'), [events])
  await api.moveClock('2 minutes')
  await untilSent(id)
  assert.deepEqual(await outcomesOf(id), { both: 'topic', 'never-chose': 'sent' })
  assert.deepEqual(await topicOf(id), { id: news, name: 'News', left_out: 3 })
  await api.run(`
    update campaign_recipient set status = 'failed', sent_at = null
    where campaign_id = '${id}' and subscriber_id = '${contactId('never-chose')}';
    update campaign_run set sent = 0, failed = 1 where campaign_id = '${id}'`)
  await chooseOnPage(contactId('never-chose'), [])
  assertAnswered(await editor.ask(`POST ${here}/campaigns/${id}/retry`), 200, { reopened: 1 })
  await untilSent(id)
  assert.deepEqual(await outcomesOf(id), { both: 'topic', 'never-chose': 'topic' })
  assert.deepEqual(await topicOf(id), { id: news, name: 'News', left_out: 4 })
  await chooseOnPage(contactId('both'), [news, events])
  await chooseOnPage(contactId('never-chose'), [news])
  await api.moveClock('0')
})

test('202: a campaign by a key is for no topic, and reaches who left every topic and is subscribed', async () => {
  const id = await draft(null)
  assertAnswered(await byKey(`POST /api/v1/campaigns/${id}/send`), 202, { queued: 4 })
  assert.equal(await topicOf(id), null)
  const emails = await db.column<string>(
    sql`select email from campaign_recipient where workspace_id = ${acme.id} and campaign_id = ${id} order by email`,
  )
  assert.deepEqual(
    emails.map((email) => email.split('@')[0]),
    ['both', 'neither', 'never-chose', 'only-events'],
  )
})

test('409 targeted: a key sends and schedules no draft that is for a topic; a member schedules it', async () => {
  const id = await draft(news)
  const later = { scheduledAt: '2099-01-01T00:00:00Z' }
  const soon = { scheduledAt: 'in 1 hour' }
  assertRefused(await byKey(`POST /api/v1/campaigns/${id}/send`), 'conflict', {
    reason: 'targeted',
  })
  assertRefused(await byKey(`POST /api/v1/campaigns/${id}/schedule`, soon), 'conflict', {
    reason: 'targeted',
  })
  assertRefused(await byKey(`POST /api/v1/campaigns/${id}/schedule`, later), 'validation_error')
  assertRefused(
    await byKey(`PATCH /api/v1/campaigns/${id}`, { topic_id: news }),
    'validation_error',
  )
  assert.equal(at((await byKey(`GET /api/v1/campaigns/${id}`)).body, 'status'), 'draft')
  assertAnswered(await editor.ask(`POST ${here}/campaigns/${id}/schedule`, { body: soon }), 200)
  assertRefused(await choose(id, null), 'conflict', { status: 'scheduled' })
  const inUse = await editor.ask(`DELETE ${here}/audience/topics/${news}`)
  assertRefused(inUse, 'conflict', { reason: 'topic_in_use' })
  await api.moveClock('61 minutes')
  await until(
    () => topicOf(id),
    (topic) => at(topic, 'left_out') === 2,
  )
  await api.moveClock('0')
})

test('a change by a key and a save of the editor keep the topic; a duplicate is for it too', async () => {
  const id = await draft(events)
  await byKey(`PATCH /api/v1/campaigns/${id}`, { subject: 'Another' })
  const { body } = await editor.ask(`GET ${here}/campaigns/${id}/draft`)
  const version = at(body, 'version')
  await editor.ask(`POST ${here}/campaigns/${id}/draft`, { body: { version, subject: '' } })
  assert.equal(at(await topicOf(id), 'id'), events)
  const copied = await editor.ask(`POST ${here}/campaigns/${id}/duplicate`, { body: {} })
  assert.equal(at(copied.body, 'campaign', 'topic', 'id'), events)
  assertAnswered(await byKey(`GET /api/v1/broadcasts/${id}`), 200, { topic_id: events })
})

test('422, 404: the topic is one of the workspace, and so is the campaign', async () => {
  const id = await draft(null)
  for (const topic of [foreign, nobody])
    assertRefused(await choose(id, topic), 'validation_error', { path: 'topic', rule: 'topic' })
  const elsewhere = `POST /workspaces/other/api/v1/campaigns/${id}/topic` as const
  assertRefused(await editor.ask(elsewhere, { body: { topic: foreign } }), 'not_found')
})

test('a process of the previous version cannot send a campaign that is for a topic', async () => {
  const id = await draft(news)
  await assert.rejects(
    api.run(`update campaign set status = 'sending' where id = '${id}'`),
    /campaign_targeted_is_frozen/,
  )
})
