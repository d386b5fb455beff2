/**
 * Forms that ask for topics: no box starts with a tick, and each tick and each missing one is a
 * choice with its evidence once the contact confirms, and not before.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { open, press, type VisitedPage } from '../support/signed-in-visitor.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), settings: { language: 'en' } })
const { db } = api.service
const base = api.baseUrl
const acme = await api.workspace('acme')
const other = await api.workspace('other')
const editor = await signIn(api, { in: { [acme.id]: 'editor', [other.id]: 'editor' } })
const origin = 'https://shop.example'
const english = { headers: { 'accept-language': 'en' } }

const make = (path: string, body: object, slug = 'acme'): Promise<Answer> =>
  editor.ask(`POST /workspaces/${slug}/api/v1${path}`, { body })
const makeTopic = async (name: string, slug = 'acme'): Promise<string> =>
  textAt(await make('/audience/topics', { name }, slug), 'id')
const news = await makeTopic('News')
const events = await makeTopic('Events')
const notAsked = await makeTopic('Not asked')
const foreign = await makeTopic('Elsewhere', 'other')
const form = await make('/forms', { name: 'Our news', topics: [events, news], origins: [origin] })
const path = new URL(textAt(form, 'url')).pathname

let ahead = 0
async function later(seconds: number): Promise<void> {
  ahead += seconds
  await api.moveClock(`${ahead} seconds`)
}

/** The page that the button of the mail to the address leads to. */
async function confirm(email: string): Promise<VisitedPage> {
  const link = await until(async () => {
    const [row] = await db.rows<{ raw: Buffer }>(sql`
      select raw from captured_mail where workspace_id = ${acme.id} and recipient = ${email} order by captured_at desc limit 1`)
    return row && /\/confirm\/[\w-]{64}/.exec(row.raw.toString().replaceAll('=\r\n', ''))?.[0]
  })
  return press(base, await open(base, link, english))
}

const topicsOf = async (email: string): Promise<unknown> => {
  const { body } = await ask(base, `GET /api/v1/subscribers/${email}`, { key: acme.key })
  const topics = at(body, 'topics') as { name: string; subscribed: boolean }[]
  return Object.fromEntries(topics.map(({ name, subscribed }) => [name, subscribed]))
}

const evidenceOf = (email: string): Promise<{ act: string; topic: string; shown: string }[]> =>
  db.rows(sql`
    select e.act, e.topic, e.shown, e.source, e.ip is not null as has_ip from choice_evidence e
    join subscriber s on s.workspace_id = ${acme.id} and s.id = e.subscriber_id
    where e.workspace_id = ${acme.id} and s.email = ${email} order by e.id`)

/** As a browser sends it: a box without a tick sends nothing. */
function unticked(page: VisitedPage): VisitedPage {
  const sent = Object.entries(page.form?.values ?? {}).filter(
    ([name]) => !name.startsWith('topic.'),
  )
  return { ...page, form: { action: path, values: Object.fromEntries(sent) } }
}

test('the page and what is pasted have a box for each topic of the form, in its order, without a tick', async () => {
  const page = await open(base, path, english)
  assert.ok(page.markup.indexOf(`topic.${events}`) < page.markup.indexOf(`topic.${news}`))
  assert.doesNotMatch(page.markup, / checked/)
  assert.doesNotMatch(page.markup, new RegExp(`${notAsked}|${foreign}`))
  for (const part of ['embed', 'snippet']) {
    const pasted = textAt(form, part)
    assert.match(pasted, new RegExp(`name="topics" value="${events} ${news}"`))
    assert.match(pasted, new RegExp(`<input type="checkbox" name="topic.${news}" value="on"> News`))
  }
})

test('a visitor joins the topics that they tick and leaves the others, by the button of the mail alone', async () => {
  const email = 'ada@example.com'
  const page = await open(base, path, english)
  await later(10)
  const filled = unticked(page)
  const posted = await press(base, filled, { email, [`topic.${news}`]: 'on' }, english.headers)
  assert.equal(posted.status, 200)
  await until(async () => (await topicsOf(email).catch(() => null)) !== null)
  assert.deepEqual(await topicsOf(email), { News: true, Events: true, 'Not asked': true })
  assert.deepEqual(await evidenceOf(email), [])
  assert.equal((await confirm(email)).status, 200)
  assert.deepEqual(await topicsOf(email), { News: true, Events: false, 'Not asked': true })
  const rest = { source: 'form', hasIp: true }
  assert.deepEqual(await evidenceOf(email), [
    { act: 'topic_left', topic: 'Events', shown: 'Topics\n[ ] Events', ...rest },
    { act: 'topic_joined', topic: 'News', shown: 'Topics\n[x] News', ...rest },
  ])
})

test('the evidence of a sign-up has the names that its page showed, also when a topic is renamed before the answer', async () => {
  const email = 'early@example.com'
  const page = await open(base, path, english)
  await later(10)
  await press(base, unticked(page), { email, [`topic.${news}`]: 'on' }, english.headers)
  await until(async () => (await topicsOf(email).catch(() => null)) !== null)
  const rename = (name: string) =>
    editor.ask(`PATCH /workspaces/acme/api/v1/audience/topics/${news}`, { body: { name } })
  assertAnswered(await rename('Offers of partners'), 200)
  assert.equal((await confirm(email)).status, 200)
  assertAnswered(await rename('News'), 200)
  assert.partialDeepStrictEqual(await evidenceOf(email), [
    { topic: 'Events', shown: 'Topics\n[ ] Events' },
    { topic: 'News', shown: 'Topics\n[x] News' },
  ])
})

test('a form takes no topic from a subscribed contact, and gives back none that the contact left', async () => {
  const email = 'known@example.com'
  const body = { email, double_opt_in: false }
  const known = await ask(base, 'POST /api/v1/subscribers', { key: acme.key, body })
  await db.count(sql`
    insert into topic_choice (workspace_id, topic_id, subscriber_id, subscribed, chosen_at)
    values (${acme.id}, ${news}, ${textAt(known, 'id')}, false, facteur_now())`)
  const before = { News: false, Events: true, 'Not asked': true }
  assert.deepEqual(await topicsOf(email), before)
  const page = await open(base, path, english)
  await later(10)
  await press(base, unticked(page), { email, [`topic.${news}`]: 'on' }, english.headers)
  assert.equal((await confirm(email)).status, 200)
  assert.deepEqual(await topicsOf(email), before)
  assert.deepEqual(await evidenceOf(email), [])
})

test('a form that is shown again, for a wrong address, has the ticks of the visitor', async () => {
  const page = await open(base, path, english)
  await later(10)
  const filled = unticked(page)
  const again = await press(base, filled, { email: 'ada@', [`topic.${news}`]: 'on' })
  assert.equal(again.status, 422)
  assert.match(again.markup, new RegExp(`topic.${news}" value="on" checked`))
  assert.doesNotMatch(again.markup, new RegExp(`topic.${events}" value="on" checked`))
})

test('202: pages of an origin list the ticked topics; without the list, nothing is chosen', async () => {
  await later(7200)
  const post = async (body: object): Promise<number> =>
    (
      await fetch(`${base}${path}/json`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status
  const cases: [email: string, body: object, expected: object][] = [
    ['list@example.com', { topics: [events, foreign, 7] }, { News: false, Events: true }],
    [
      'boxes@example.com',
      { topics: `${events} ${news}`, [`topic.${news}`]: 'on' },
      { News: true, Events: false },
    ],
    ['none@example.com', {}, { News: true, Events: true }],
  ]
  for (const [email, body, expected] of cases) {
    assert.equal(await post({ email, ...body }), 202, email)
    assert.equal((await confirm(email)).status, 200)
    assert.deepEqual(await topicsOf(email), { ...expected, 'Not asked': true }, email)
  }
  assert.deepEqual(await evidenceOf('none@example.com'), [])
  assert.equal(await post({ email: 'x@example.com', topics: { a: 1 } }), 422)
})

test('422: a form asks for topics of its workspace alone; a change keeps those that are not given', async () => {
  for (const topics of [[foreign], [news, '0193d1a2-0000-7000-8000-000000000000']])
    assertRefused(await make('/forms', { name: 'f', topics }), 'validation_error', {
      ...{ path: `topics.${topics.length - 1}`, rule: 'topic' },
    })
  const id = textAt(form, 'id')
  const change = (body: object) => editor.ask(`PATCH /workspaces/acme/api/v1/forms/${id}`, { body })
  assertAnswered(await change({ intro: 'Hello' }), 200, { topics: [events, news] })
  assertAnswered(await change({ topics: [] }), 200, { topics: [] })
  const gone = await editor.ask(`DELETE /workspaces/acme/api/v1/audience/topics/${events}`)
  assertAnswered(gone, 200)
})
