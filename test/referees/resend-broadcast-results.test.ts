/** `broadcasts.recipients` and `broadcasts.clickedLinks` of the unmodified SDK, compared with the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { wellDone } from '../support/sdk-answers.ts'
import { browser, filter, sentCampaign, open } from '../support/tracking-world.ts'

const api = await startApi({ workers: false, entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const clientOf = (key: string): Resend => new Resend(key, { baseUrl: `${api.baseUrl}/api/v1` })
const resend = clientOf(shop.key)
const [first, second] = ['https://example.com/a', 'https://example.com/b']
const campaign = await sentCampaign(api, shop, { contacts: 5, links: [first, second] })
await db.count(sql`
  update campaign set track_opens = true, track_clicks = true where workspace_id = ${shop.id} and id = ${campaign.id}`)
const { id, contacts } = campaign
const rows = await db.rows<{ id: string; email: string }>(sql`
  select subscriber_id as id, email from campaign_recipient
  where workspace_id = ${shop.id} and campaign_id = ${id} order by subscriber_id`)
const base = (index: number) => ({
  ...{ id: contacts[index], contact_id: contacts[index] },
  email: rows.find((row) => row.id === contacts[index])?.email,
})
for (const [path, program] of [
  ...[campaign.link(0, 0), campaign.link(0, 0), campaign.link(0, 1)].map((at) => [at, browser]),
  ...[campaign.link(1, 0), campaign.pixel(2), campaign.pixel(2)].map((at) => [at, browser]),
  [campaign.link(3, 1), filter],
] as [string, string][])
  await open(api, path, program)
await db.count(sql`
  update campaign_recipient set status = 'bounced', bounce = 'soft'
  where workspace_id = ${shop.id} and campaign_id = ${id} and subscriber_id = ${contacts[4]}`)
await db.count(sql`
  insert into campaign_failure (workspace_id, campaign_id, subscriber_id, status)
  values (${shop.id}, ${id}, ${contacts[4]}, 'bounced') on conflict do nothing`)

const errorOf = async (
  call: Promise<{ error: { statusCode: number | null; name: string } | null }>,
): Promise<string> => {
  const { error } = await call
  return `${error?.statusCode} ${error?.name}`
}

test('recipients: each type with its own fields, scanners apart', async () => {
  const clicked = await wellDone(resend.broadcasts.recipients(id, { type: 'clicked' }))
  assert.deepEqual(clicked.data, [
    {
      ...{ ...base(0), count: 3 },
      clicked_links: [
        { url: first, clicks: 2 },
        { url: second, clicks: 1 },
      ],
    },
    { ...base(1), count: 1, clicked_links: [{ url: first, clicks: 1 }] },
  ])
  const opened = await wellDone(resend.broadcasts.recipients(id, { type: 'opened' }))
  assert.deepEqual(
    opened.data.map(({ id: row, count }) => [row, count]),
    [
      [contacts[0], 1],
      [contacts[1], 1],
      [contacts[2], 2],
    ],
  )
  const bounced = await wellDone(resend.broadcasts.recipients(id, { type: 'bounced' }))
  assert.deepEqual(bounced.data, [{ ...base(4), bounce_type: 'transient' }])
  const options = { type: 'bounced', bounceType: 'permanent' } as const
  assert.deepEqual((await wellDone(resend.broadcasts.recipients(id, options))).data, [])
  const none = await wellDone(resend.broadcasts.recipients(id, { type: 'complained' }))
  assert.deepEqual([none.object, none.data, none.has_more], ['list', [], false])
})

test('recipients: pages behind the identifier of the last row, and one by address', async () => {
  const matches: string[] = []
  for (let after: string | undefined; ;) {
    const page = await wellDone(
      resend.broadcasts.recipients(id, { type: 'sent', limit: 2, ...(after && { after }) }),
    )
    assert.ok(page.data.length <= 2)
    matches.push(...page.data.map((row) => row.id))
    after = page.data.at(-1)?.id
    if (!page.has_more) break
  }
  assert.deepEqual(
    matches,
    rows.map((row) => row.id),
  )
  const { email = '' } = base(0)
  const done = await wellDone(resend.broadcasts.recipients(id, { type: 'clicked', email }))
  assert.deepEqual(
    done.data.map((row) => row.id),
    [contacts[0]],
  )
  for (const [type, address] of [
    ['bounced', email],
    ['sent', 'nobody@example.com'],
  ] as const)
    assert.deepEqual(
      (await wellDone(resend.broadcasts.recipients(id, { type, email: address }))).data,
      [],
    )
})

test('clickedLinks: clicks and how many recipients made them, in pages', async () => {
  const whole = await wellDone(resend.broadcasts.clickedLinks(id))
  assert.deepEqual(whole, {
    ...{ object: 'list', has_more: false },
    data: [
      { id: '0', url: first, clicks: 3, unique_clicks: 2 },
      { id: '1', url: second, clicks: 1, unique_clicks: 1 },
    ],
  })
  const page = await wellDone(resend.broadcasts.clickedLinks(id, { limit: 1 }))
  assert.deepEqual([page.data.map(({ url }) => url), page.has_more], [[first], true])
  const next = await wellDone(resend.broadcasts.clickedLinks(id, { limit: 1, after: '0' }))
  assert.deepEqual([next.data.map(({ url }) => url), next.has_more], [[second], false])
})

test('403 and 404: addresses need `subscribers:read` too; another workspace finds nothing', async () => {
  const key = (...scopes: Parameters<typeof shop.makeKey>[0]) => shop.makeKey(scopes)
  const campaigns = clientOf(await key('campaigns:read'))
  const subscribers = clientOf(await key('subscribers:read'))
  const type = 'sent' as const
  for (const client of [campaigns, subscribers])
    assert.equal(
      await errorOf(client.broadcasts.recipients(id, { type })),
      '403 insufficient_scope',
    )
  assert.equal(await errorOf(subscribers.broadcasts.clickedLinks(id)), '403 insufficient_scope')
  assert.equal((await wellDone(campaigns.broadcasts.clickedLinks(id))).data.length, 2)
  const stranger = clientOf(other.key).broadcasts
  const { email = '' } = base(0)
  for (const call of [
    stranger.recipients(id, { type }),
    stranger.recipients(id, { type, email }),
    stranger.clickedLinks(id),
  ])
    assert.equal(await errorOf(call), '404 not_found')
})

test('422: no type, an unknown one, a page that is too large, `before`, what is no place in the list', async () => {
  for (const [path, field] of [
    ['recipients', 'type'],
    ['recipients?type=seen', 'type'],
    ['recipients?type=sent&limit=1000', 'limit'],
    ['recipients?type=sent&limit=x', 'limit'],
    ['recipients?type=sent&before=x', 'before'],
    ['recipients?type=sent&after=!', 'cursor'],
    ['recipients?type=sent&bounce_type=permanent', 'bounce_type'],
    ['clicked-links?before=0', 'before'],
    ['clicked-links?after=x', 'after'],
    ['clicked-links?limit=0', 'limit'],
  ] as const) {
    const line = `GET /api/v1/broadcasts/${id}/${path}`
    assertRefused(await ask(api.baseUrl, line, { key: shop.key }), 'validation_error', {
      path: field,
    })
  }
})

test('what one recipient repeats is counted up to a limit, and expired clicks are not found', async () => {
  await db.count(sql`
    insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, visitor, user_agent, at)
    select ${shop.id}, gen_random_uuid(), ${id}, ${contacts[2]}, 'open', 'person', '', facteur_now()
    from generate_series(1, 1500)`)
  const { email = '' } = base(2)
  const { data } = await wellDone(resend.broadcasts.recipients(id, { type: 'opened', email }))
  assert.equal(data[0]?.count, 1_000)
  await db.count(sql`
    update campaign set completed_at = facteur_now() - interval '396 days' where workspace_id = ${shop.id} and id = ${id}`)
  for (const path of ['recipients?type=sent', 'clicked-links']) {
    const line = `GET /api/v1/broadcasts/${id}/${path}`
    assertRefused(await ask(api.baseUrl, line, { key: shop.key }), 'not_found', { id })
  }
  assertAnswered(await ask(api.baseUrl, `GET /api/v1/broadcasts/${id}`, { key: shop.key }), 200, {
    id,
  })
})
