/**
 * What only members may do and read, asked for with a key of every permission: operations of the
 * pages are no addresses of the API, and where an operation gives members more, a key neither gets
 * it nor can ask for it.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const acme = await api.workspace('acme')
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })

const byKey = (line: string, body?: object): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  const requested = body === undefined ? {} : { body }
  return ask(api.baseUrl, `${method} /api/v1${path}`, { key: acme.key, ...requested })
}
const byMember = (line: string, body?: object): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  return editor.ask(`${method} /workspaces/acme/api/v1${path}`, body === undefined ? {} : { body })
}
const listed = async (path: string): Promise<{ id: string }[]> => {
  const answer = await byKey(`GET ${path}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return (answer.body as { data: { id: string }[] }).data
}
const idsAt = async (path: string): Promise<string[]> => (await listed(path)).map(({ id }) => id)
const namesOf = (value: unknown): string[] => Object.keys(Object(value)).toSorted()
const campaignState = async (id: string) => {
  const [row] = await service.db.rows<{ status: string; canUndo: boolean }>(sql`
    select status, coalesce(held_until > facteur_now(), false) as can_undo
    from campaign where workspace_id = ${acme.id} and id = ${id}`)
  return row
}

/** A campaign that a user sent and may still take back, and one of a key that has left. */
let withheld: string
let sent: string
let message: string
let webhook: string
before(async () => {
  await addSubscribers(api, acme, 1)
  withheld = await draftOf(api, acme, { name: 'Held', text: 'See it' })
  assertAnswered(await byMember(`POST /campaigns/${withheld}/send?confirm_recipients=1`), 202)
  sent = await draftOf(api, acme, { name: 'Sent' })
  assertAnswered(await send(api, acme, sent), 202)
  const mail = { from: 'hello@acme.test', to: 'ines@example.com', subject: 's', text: 't' }
  message = textAt(await byKey('POST /emails', mail), 'id')
  const receiver = { url: 'http://127.0.0.1:1/acme', events: ['email.sent'] }
  webhook = textAt(await byKey('POST /webhooks', receiver), 'id')
})

test('404 not_found: every operation of users, at the address of the API, of records that are there', async () => {
  const idsBy: [string, string][] = [
    ['/campaigns/', withheld],
    ['/messages/', message],
    ['/webhooks/', webhook],
  ]
  const states = async () => [
    await campaignState(withheld),
    await byKey(`GET /webhooks/${webhook}`).then(({ body }) => body),
    await listed('/subscribers'),
  ]
  const earlier = await states()
  assert.deepEqual(earlier[0], { status: 'sending', canUndo: true })
  for (const id of operationIds) {
    const { method, path, entry, body, takesFile }: Operation = operations[id]
    if (entry === 'api') continue
    const [, known = service.makeId()] = idsBy.find(([part]) => path.includes(part)) ?? []
    const line = `${method} ${path.replaceAll(/\{\w+\}/g, known)}`
    const answer = await ask(api.baseUrl, line, {
      key: acme.key,
      ...(takesFile && { raw: 'email\n', type: 'text/csv' }),
      ...(body && { body: exampleOf(plainSchema(body)) }),
    })
    assert.equal(at(answer.body, 'error', 'code'), 'not_found', `${id}: ${line}`)
  }
  assert.deepEqual(await states(), earlier)
})

test('a campaign that a key sends leaves at once, and a key takes none back', async () => {
  assert.equal((await campaignState(sent))?.canUndo, false)
  // Its mail left while that of the user waits.
  await untilSent(api, acme, sent)
  assertRefused(await byKey(`POST /campaigns/${withheld}/undo`), 'not_found')
  assert.deepEqual(await campaignState(withheld), { status: 'sending', canUndo: true })
})

test('422 validation_error: an unfinished campaign of a key is not stored', async () => {
  const count = () => service.db.count(sql`select from campaign where workspace_id = ${acme.id}`)
  const stored = await count()
  const typed = { name: 'Half', kind: 'text', unfinished: true }
  assertRefused(await byKey('POST /campaigns', typed), 'validation_error')
  assert.equal(await count(), stored)
})

test('campaigns: notes of users and what they typed are in no list of a key, nor searched', async () => {
  const id = await draftOf(api, acme, { name: 'Noted' })
  const note = { internalNote: 'Ask Ada first' }
  assertAnswered(await byMember(`PATCH /campaigns/${id}/annotations`, note), 200)
  const half = await byMember('POST /drafts', { name: 'Half', kind: 'text', subject: '{{typed' })
  assertAnswered(half, 201, { unfinished: true })
  const all = await listed('/campaigns')
  const { data } = plainSchema(operations.listCampaigns.answer.schema)['properties'] as {
    data: { items: { properties: object } }
  }
  for (const campaign of all) assert.deepEqual(namesOf(campaign), namesOf(data.items.properties))
  assert.doesNotMatch(JSON.stringify(all), /Ask Ada|\{\{typed/)
  assert.deepEqual(
    await idsAt('/campaigns?q=Noted'),
    all.map((campaign) => campaign.id),
  )
})

test('subscribers: the filters of members do nothing in a list of a key', async () => {
  const tagged = { email: 'vip@example.com', tags: ['vip'], double_opt_in: false }
  assertAnswered(await byKey('POST /subscribers', tagged), 201)
  const all = await listed('/subscribers')
  for (const filter of ['tag=vip', 'source=form', 'field=city&value=Lyon'])
    assert.deepEqual(await listed(`/subscribers?${filter}`), all)
})

test('a key answers for no consent: its words are not stored, and `double_opt_in` decides', async () => {
  const words = { consent: 'Said yes at the fair' }
  const answer = await byKey('POST /subscribers', { email: 'asked@example.com', ...words })
  assertAnswered(answer, 201, { status: 'pending', confirmation_sent: true })
  const plain = { email: 'plain@example.com', double_opt_in: false, ...words }
  assertAnswered(await byKey('POST /subscribers', plain), 201, { status: 'subscribed' })
  const shown = await service.db.rows(sql`
    select from consent_evidence where workspace_id = ${acme.id} and shown like '%fair%'`)
  assert.deepEqual(shown, [])
})

test('404 not_found: mails of campaigns, what scanners did and the journal of the pages', async () => {
  const [recipient] = (await byMember(`GET /campaigns/${sent}/recipients`).then(({ body }) =>
    at(body, 'data'),
  )) as { id: string }[]
  for (const path of [
    `/emails/${sent}.${recipient?.id ?? ''}`,
    `/messages/${sent}.${recipient?.id ?? ''}`,
    '/messages',
    `/campaigns/${sent}/results`,
    `/webhooks/${webhook}/journal`,
  ])
    assertRefused(await byKey(`GET ${path}`), 'not_found')
})
