/**
 * The internal note of a campaign: users write it in any state, and only their workspace reads it.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { at } from '../support/json.ts'
import { clientOf } from '../support/mcp.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
await addSubscribers(api, shop, 2)
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const foreigner = await signIn(api, { in: { [other.id]: 'owner' } })
const campaigns = '/workspaces/shop/api/v1/campaigns'
const annotate = (id: string, body: object, by = editor) =>
  by.ask(`PATCH ${campaigns}/${id}/annotations`, { body })
const noteOf = async (id: string): Promise<unknown> =>
  at((await viewer.ask(`GET ${campaigns}/${id}/run`)).body, 'campaign', 'internalNote')
const readAsKey = (path: string) =>
  ask(api.baseUrl, `GET /api/v1/campaigns${path}`, { key: shop.key })

test('a note is written, changed and cleared in any state, and the mail, its version and its times stay', async () => {
  const id = await draftOf(api, shop)
  assert.equal(await noteOf(id), null)
  for (const status of ['draft', 'scheduled', 'sending', 'sent', 'archived']) {
    await api.run(`update campaign set status = '${status}' where id = '${id}'`)
    const [draft, campaign] = [
      await editor.ask(`GET ${campaigns}/${id}/draft`),
      await readAsKey(`/${id}`),
    ]
    await api.moveClock('1 hour')
    assertAnswered(await annotate(id, { internalNote: ` While ${status}:\r\nread it twice ` }), 200)
    await api.moveClock('0 hours')
    assert.equal(await noteOf(id), `While ${status}:\nread it twice`)
    assert.deepEqual((await editor.ask(`GET ${campaigns}/${id}/draft`)).body, draft.body)
    assert.deepEqual((await readAsKey(`/${id}`)).body, campaign.body)
  }
  assertAnswered(await annotate(id, {}), 200, {
    campaign: { internalNote: 'While archived:\nread it twice' },
  })
  assertAnswered(await annotate(id, { internalNote: '  ' }), 200, {
    campaign: { internalNote: null },
  })
  await annotate(id, { internalNote: 'x' })
  assertAnswered(await annotate(id, { internalNote: null }), 200, {
    campaign: { internalNote: null },
  })
})

test('500 characters fit, as code points; a longer note, control characters, a viewer and another workspace are refused', async () => {
  const id = await draftOf(api, shop)
  assertAnswered(await annotate(id, { internalNote: '😀'.repeat(500) }), 200)
  const longer = { path: 'internalNote', rule: 'maxLength', limit: 500, found: 501 }
  assertRefused(await annotate(id, { internalNote: '😀'.repeat(501) }), 'validation_error', longer)
  const control = { path: 'internalNote', rule: 'control_character' }
  assertRefused(await annotate(id, { internalNote: 'a\u0007b' }), 'validation_error', control)
  assertRefused(await annotate(id, { internalNote: 7 }), 'validation_error', {
    path: 'internalNote',
    rule: 'type',
  })
  assertRefused(await annotate(id, { internalNote: 'x' }, viewer), 'insufficient_role')
  assertRefused(await annotate(id, { internalNote: 'x' }, foreigner), 'not_found')
  const elsewhere = `PATCH /workspaces/other/api/v1/campaigns/${id}/annotations`
  assertRefused(await foreigner.ask(elsewhere, { body: { internalNote: 'x' } }), 'not_found')
  assert.equal(await noteOf(id), '😀'.repeat(500))
})

test('a save of the editor leaves the note, and a duplicate begins without one', async () => {
  const id = await draftOf(api, shop)
  await annotate(id, { internalNote: 'Approved by Ada' })
  const save = { name: 'Renamed', version: 1, internalNote: 'by the wrong way' }
  assertAnswered(await editor.ask(`POST ${campaigns}/${id}/draft`, { body: save }), 200, {
    version: 2,
  })
  assert.equal(await noteOf(id), 'Approved by Ada')
  const copy = await editor.ask(`POST ${campaigns}/${id}/duplicate`, { body: {} })
  assertAnswered(copy, 201, { campaign: { name: 'Renamed', internalNote: null } })
  const result = await viewer.ask(`GET ${campaigns}?q=renamed`)
  assertAnswered(result, 200, {
    data: [{ internalNote: null }, { internalNote: 'Approved by Ada' }],
  })
})

test('the note reaches no answer of the API, tool, mail, export, event or other table', async () => {
  const note = 'never-outside-5f1c'
  const hook = {
    url: 'http://127.0.0.1:9/hook',
    events: ['campaign.sent', 'email.delivered'],
    name: 'all',
  }
  assertAnswered(
    await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body: hook }),
    201,
  )
  const id = await draftOf(api, shop)
  assertAnswered(await annotate(id, { internalNote: note }), 200)
  assertRefused(
    await ask(api.baseUrl, `PATCH /api/v1/campaigns/${id}/annotations`, {
      key: shop.key,
      body: { internalNote: 'x' },
    }),
    'not_found',
  )
  const body = { name: 'n', subject: 's', text: 't', internalNote: note }
  const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body })
  assert.equal(await noteOf(textAt(created, 'id')), null, 'an unknown key is ignored')
  assertAnswered(await send(api, shop, id), 202)
  await untilSent(api, shop, id)
  const [tools, exported] = [clientOf(api.baseUrl, shop.key), `${api.baseUrl}${campaigns}/${id}`]
  const fileOf = async (path: string): Promise<string> =>
    (await fetch(`${exported}/${path}`, { headers: { cookie: editor.cookie } })).text()
  const run = await editor.ask(`GET ${campaigns}/${id}/run`)
  const recipientsFile = async (): Promise<string> => {
    const answer = await fetch(`${exported}/recipients/export`, {
      method: 'POST',
      headers: {
        ...{ cookie: editor.cookie, 'content-type': 'application/json' },
        origin: api.baseUrl,
      },
      body: JSON.stringify({ frozen_at: at(run.body, 'frozenAt') }),
    })
    assert.equal(answer.status, 200)
    return answer.text()
  }
  const read = [
    ...[await readAsKey(''), await readAsKey(`/${id}`), await readAsKey(`/${id}/stats`)],
    ...[await tools.call('list_campaigns', {}), await tools.call('get_campaign_stats', { id })],
    ...[await recipientsFile(), await fileOf('results/export')],
    ...(await api.service.db.rows(
      sql`select encode(raw, 'escape') as raw from captured_mail where campaign_id = ${id}`,
    )),
  ]
  assert.equal(read.length, 9, 'two recipients have the mail')
  for (const answer of read) {
    assert.ok(JSON.stringify(answer).length > 80, JSON.stringify(answer))
    assert.doesNotMatch(JSON.stringify(answer), /internal_?note|never-outside/i)
  }
  const events = await api.service.db.rows<{ body: unknown }>(
    sql`select e::text as body from event e`,
  )
  assert.ok(events.some((event) => JSON.stringify(event).includes('campaign.sent')))
  for (const { name } of await api.service.db.rows<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`)) {
    const holds = {
      name: `holds-${name}`,
      text: `select 1 from "${name}" r where r::text like '%never-outside%'`,
      values: [],
    }
    assert.equal((await api.service.db.rows(holds)).length, name === 'campaign' ? 1 : 0, name)
  }
  for (const file of ['docs/openapi.json', 'docs/api.md', 'client/src/schemas.ts'])
    assert.doesNotMatch(readFileSync(file, 'utf8'), /internal_?note|annotat/i, file)
})
