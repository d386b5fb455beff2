/**
 * What a contact chooses on the page behind the unsubscribe link: topics and a language, each kept
 * as evidence. Leaving everything stays one click.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { open, type VisitedPage } from '../support/signed-in-visitor.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db } = api.service
const base = api.baseUrl
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })
const stranger = await signIn(api, { in: { [other.id]: 'editor' } })
const campaign = '01900000-0000-7000-8000-000000000001'

const makeTopic = async (name: string, rest: object = {}, by = editor, slug = 'acme') =>
  textAt(
    await by.ask(`POST /workspaces/${slug}/api/v1/audience/topics`, { body: { name, ...rest } }),
    'id',
  )
const news = await makeTopic('Product news', { description: 'Once a month.' })
const events = await makeTopic('Events', { default_subscription: 'opt_out' })
const foreign = await makeTopic('Elsewhere', {}, stranger, 'other')

interface Contact {
  id: string
  email: string
}

async function addContact(email: string): Promise<Contact> {
  const body = { email, double_opt_in: false }
  const added = await ask(base, 'POST /api/v1/subscribers', { key: acme.key, body })
  return { id: textAt(added, 'id'), email }
}

const tokenOf = ({ id }: Contact): string =>
  api.service.linkTokens.make('unsubscribe', {
    workspaceId: acme.id,
    first: campaign,
    second: id,
  })

/** Sends the page's form, with these topics ticked. */
const choose = (
  contact: Contact,
  ticked: string[],
  rest: Record<string, string> = {},
): Promise<VisitedPage> =>
  open(base, `/preferences/${tokenOf(contact)}`, {
    method: 'POST',
    headers: { 'accept-language': 'en' },
    body: new URLSearchParams({
      topics: `${news} ${events}`,
      ...Object.fromEntries(ticked.map((id) => [`topic.${id}`, 'on'])),
      language: '',
      ...rest,
    }),
  })

const read = async ({ email }: Contact) =>
  (await ask(base, `GET /api/v1/subscribers/${email}`, { key: acme.key })).body
const topicsOf = async (contact: Contact) => at(await read(contact), 'topics')
const chosen = (subscribed: { news: boolean; events: boolean }) => [
  { id: news, name: 'Product news', subscribed: subscribed.news },
  { id: events, name: 'Events', subscribed: subscribed.events },
]

interface Evidence {
  act: string
  topic: string | null
  shown: string
  source: string
  ip: string | null
  campaignId: string | null
}

const evidenceOf = ({ id }: Contact): Promise<Evidence[]> =>
  db.rows<Evidence>(
    sql`select * from choice_evidence where workspace_id = ${acme.id} and subscriber_id = ${id} order by at, id`,
  )

test('the page has one click for everything, the topics as the contact has them, and the languages', async () => {
  const contact = await addContact('page@example.com')
  const page = await open(base, `/unsubscribe/${tokenOf(contact)}`, {
    headers: { 'accept-language': 'en' },
  })
  assert.equal(page.form?.action, `/unsubscribe/${tokenOf(contact)}`, 'the first button leaves all')
  assert.match(page.markup, new RegExp(`name="topic.${news}" value="on" checked`))
  assert.match(page.markup, new RegExp(`name="topic.${events}" value="on" /`))
  assert.match(page.markup, /<option value="" selected>Same as my browser<\/option>/)
  assert.doesNotMatch(page.markup, new RegExp(foreign))
  assert.doesNotMatch(page.markup, /<script/)
  assert.match(page.text, /you still get the e-mails of acme that don't belong to a topic/)
  assert.deepEqual(await evidenceOf(contact), [], 'opening it changes nothing')
  assert.deepEqual(await topicsOf(contact), chosen({ news: true, events: false }))
})

test('each choice of a topic and of a language is stored, with its evidence; a repeat adds none', async () => {
  const contact = await addContact('chooses@example.com')
  const saved = await choose(contact, [events], { language: 'fr' })
  assert.equal(saved.status, 200)
  assert.deepEqual([saved.lang, saved.title], ['fr', 'Vos choix sont enregistrés'])
  assert.match(saved.text, /<li>Events<\/li>/)
  const record = await read(contact)
  assert.deepEqual(
    [at(record, 'status'), at(record, 'language'), at(record, 'topics')],
    ['subscribed', 'fr', chosen({ news: false, events: true })],
  )
  const evidence = await evidenceOf(contact)
  assert.deepEqual(
    evidence.map(({ act, topic, source, ip, campaignId }) => [act, topic, source, ip, campaignId]),
    [
      ['topic_left', 'Product news', 'link', '127.0.0.1', campaign],
      ['topic_joined', 'Events', 'link', '127.0.0.1', campaign],
      ['language_chosen', null, 'link', '127.0.0.1', campaign],
    ],
  )
  assert.equal(
    evidence[0]?.shown,
    'Or choose what you receive\nTopics\n[ ] Product news\n[Save my choices]',
  )
  assert.match(evidence[2]?.shown ?? '', /\[x\] Français/)
  await choose(contact, [events], { language: 'fr' })
  assert.equal((await evidenceOf(contact)).length, 3)
  const page = await open(base, `/unsubscribe/${tokenOf(contact)}`, {
    headers: { 'accept-language': 'en' },
  })
  assert.equal(page.lang, 'fr', 'their language comes before that of the browser')
  const known = await editor.ask(`GET /workspaces/acme/api/v1/contacts/${contact.email}`)
  const acts = at(known.body, 'consents') as { act: string; topic: string | null }[]
  assert.deepEqual(
    acts.map(({ act, topic }) => [act, topic]),
    [
      ['registered', null],
      ['topic_left', 'Product news'],
      ['topic_joined', 'Events'],
      ['language_chosen', null],
    ],
  )
  const exported = await ask(base, `GET /api/v1/subscribers/${contact.email}/export`, {
    key: acme.key,
  })
  assertAnswered(exported, 200, {
    subscriber: { language: 'fr', topics: chosen({ news: false, events: true }) },
  })
  assert.equal((at(exported.body, 'consents') as unknown[]).length, 4)
})

test('who leaves the last topic stays subscribed; the page says so, and one click leaves everything', async () => {
  const contact = await addContact('last@example.com')
  const saved = await choose(contact, [])
  assert.match(saved.text, /receives no topic of acme any more/)
  assert.match(saved.text, /still get the e-mails of acme that don't belong to a topic/)
  assert.equal(at(await read(contact), 'status'), 'subscribed')
  assert.equal(saved.form?.action, `/unsubscribe/${tokenOf(contact)}`)
  await open(base, saved.form.action, { method: 'POST' })
  assert.equal(at(await read(contact), 'status'), 'unsubscribed')
})

test('who left everything chooses nothing more: no status comes back by this page', async () => {
  const contact = await addContact('left@example.com')
  const oneClick = await open(base, `/unsubscribe/${tokenOf(contact)}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  assert.equal(oneClick.status, 200)
  const answer = await choose(contact, [news, events], { language: 'fr' })
  assert.deepEqual(
    [answer.status, answer.headers.get('location')],
    [303, `/unsubscribe/${tokenOf(contact)}`],
  )
  assert.deepEqual(await evidenceOf(contact), [])
  const record = await read(contact)
  assert.deepEqual([at(record, 'status'), at(record, 'language')], ['unsubscribed', null])
})

test('topics that the page did not show, and those of another workspace, stay as they are', async () => {
  const contact = await addContact('shown@example.com')
  await choose(contact, [foreign], { topics: `${foreign} ${events} not-an-id` })
  assert.deepEqual(await topicsOf(contact), chosen({ news: true, events: false }))
  await choose(contact, [events], { topics: events })
  assert.deepEqual(await topicsOf(contact), chosen({ news: true, events: true }))
  const [row] = await db.rows<{ count: number }>(
    sql`select count(*)::int as count from topic_choice where topic_id = ${foreign}`,
  )
  assert.equal(row?.count, 0)
})

test('429: an hour has a limit of changes; 404: a token of another purpose, and no form', async () => {
  const contact = await addContact('often@example.com')
  for (let n = 0; n < limits.choicesHourMax; n++)
    assert.equal((await choose(contact, n % 2 === 0 ? [] : [news])).status, 200)
  assert.equal((await choose(contact, [])).status, 429)
  assert.deepEqual(await topicsOf(contact), chosen({ news: true, events: false }))
  const view = api.service.linkTokens.make('view', {
    ...{ workspaceId: acme.id, first: campaign, second: contact.id },
  })
  assert.equal((await open(base, `/preferences/${view}`, { method: 'POST' })).status, 404)
  const json = await open(base, `/preferences/${tokenOf(contact)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(json.status, 404)
})

test('an erased contact leaves no choice and no evidence behind, also where a former process erases', async () => {
  const [ours, former] = [await addContact('gone@example.com'), await addContact('old@example.com')]
  for (const contact of [ours, former]) await choose(contact, [events], { language: 'en' })
  await ask(base, `POST /api/v1/subscribers/${ours.email}/erase`, { key: acme.key })
  await db.rows(
    sql`delete from subscriber where workspace_id = ${acme.id} and id = ${former.id} returning 1`,
  )
  const left = await db.rows(sql`
    select subscriber_id from topic_choice where subscriber_id in (${ours.id}, ${former.id})
    union all
    select subscriber_id from choice_evidence where subscriber_id in (${ours.id}, ${former.id})`)
  assert.deepEqual(left, [])
  assert.equal((await choose(ours, [news])).status, 303)
})
