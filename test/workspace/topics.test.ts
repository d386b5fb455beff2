/** Members make, change and delete topics; names are unlike each other, and what is in use stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const acme = await api.workspace('acme')
const here = '/workspaces/acme/api/v1/audience/topics'
const editor = await signIn(api, { email: 'eve@example.com', in: { [acme.id]: 'editor' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })

const make = (body: object) => editor.ask(`POST ${here}`, { body })
const change = (id: string, body: object) => editor.ask(`PATCH ${here}/${id}`, { body })

test('201, 200: a topic is made, listed, renamed and deleted, and each act is in the audit log', async () => {
  const created = await make({ name: ' Product news ', description: 'Once a month.' })
  assertAnswered(created, 201, {
    ...{ object: 'topic', name: 'Product news', description: 'Once a month.' },
    default_subscription: 'opt_in',
  })
  const id = textAt(created, 'id')
  const events = await make({ name: 'Events', default_subscription: 'opt_out' })
  assertAnswered(await viewer.ask(`GET ${here}`), 200, {
    data: [
      { id, name: 'Product news' },
      { name: 'Events', description: null },
    ],
  })
  const renamed = await change(id, {
    name: 'News',
    description: null,
    default_subscription: 'opt_out',
  })
  assertAnswered(renamed, 200, { name: 'News', description: null, default_subscription: 'opt_in' })
  for (const gone of [id, textAt(events, 'id')])
    assertAnswered(await editor.ask(`DELETE ${here}/${gone}`), 200)
  assertRefused(await editor.ask(`DELETE ${here}/${id}`), 'not_found')
  const acts = await api.service.db.rows<{
    act: string
    subject: string
    who: string
    details: object
  }>(sql`
    select act, subject, who, details from audit_log where workspace_id = ${acme.id} and act like 'topic.%' order by id`)
  assert.deepEqual(
    acts.map(({ act, subject, who }) => `${act} ${subject} ${who}`),
    [
      'topic.created Product news eve@example.com',
      'topic.created Events eve@example.com',
      'topic.changed News eve@example.com',
      'topic.deleted News eve@example.com',
      'topic.deleted Events eve@example.com',
    ],
  )
  assert.deepEqual(acts[2]?.details, { before: 'Product news', name: 'News' })
})

test('409 topic_exists: no two topics of a workspace have one name, whatever its case', async () => {
  await make({ name: 'Letters' })
  const second = textAt(await make({ name: 'Other letters' }), 'id')
  assertRefused(await make({ name: 'LETTERS' }), 'conflict', { reason: 'topic_exists' })
  assertRefused(await change(second, { name: 'letters' }), 'conflict', { reason: 'topic_exists' })
  assertAnswered(await change(second, { name: 'OTHER letters' }), 200, { name: 'OTHER letters' })
})

test('422: a name without visible text, too long, with a line break or a character that misleads', async () => {
  for (const name of ['', '  ', 'a\nb', 'a\u202eb', 'x'.repeat(101)])
    assertRefused(await make({ name }), 'validation_error')
  for (const rest of [{ default_subscription: 'maybe' }, { description: 'x'.repeat(201) }])
    assertRefused(await make({ name: 'Right', ...rest }), 'validation_error')
})

test('409 topic_in_use: a topic that a form asks for stays', async () => {
  const id = textAt(await make({ name: 'Used' }), 'id')
  await api.run(
    `insert into sign_up_form (workspace_id, id, name, created_at, topics)
     values (${acme.id}, gen_random_uuid(), 'f', now(), array['${id}'::uuid])`,
  )
  const refused = await editor.ask(`DELETE ${here}/${id}`, { headers: { 'accept-language': 'en' } })
  assertRefused(refused, 'conflict', { reason: 'topic_in_use' })
  assert.match(String(at(refused.body, 'message')), /form is for this topic/)
})

test('no key reads or makes topics', async () => {
  for (const line of ['GET /api/v1/audience/topics', 'POST /api/v1/audience/topics'] as const)
    assertRefused(await ask(api.baseUrl, line, { key: acme.key }), 'not_found')
})
