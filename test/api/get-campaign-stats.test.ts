/**
 * GET /campaigns/{id}/stats: exactly what the specification names, from counters alone (spec:
 * CampaignStats; semantics 5).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../src/core/feedback/record-feedback.ts'
import { recountCampaign } from '../../src/db/campaigns/campaign-recount.ts'
import { markUnsubscribed } from '../../src/db/campaigns/campaign-tallies.ts'
import { sql } from '../../src/database/client/sql.ts'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { compileCampaign } from '../../src/mail/campaign/compile-campaign.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { browser, gmailRelay, sentCampaign, open } from '../support/tracking-world.ts'
import { newsFrom } from '../support/feedback.ts'

const api = await startApi({
  workers: false,
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const workspace = await api.workspace('campaign stats')
const { service } = api

const statsOf = async (id: string, key = workspace.key) =>
  ask(api.baseUrl, `GET /api/v1/campaigns/${id}/stats`, { key })
const labels = ['0-6h', '6-12h', '12-18h', '18-24h', '24-30h', '30-36h', '36-42h', '42-48h']
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'

test('200: a draft has no figures yet', async () => {
  const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', {
    key: workspace.key,
    body: { name: 'Draft', subject: 'Hello', text: 'Hello' },
  })
  const id = String(at(created.body, 'id'))
  const answer = await statsOf(id)
  assertAnswered(answer, 200, {
    campaign: {
      id,
      name: 'Draft',
      subject: 'Hello',
      status: 'draft',
      kind: 'text',
      sentAt: null,
      scheduledAt: null,
    },
  })
  const { campaign, ...rest } = Object(answer.body)
  assert.deepEqual(Object.keys(campaign), [
    'id',
    'name',
    'subject',
    'status',
    'kind',
    'fromName',
    'fromEmail',
    'sentAt',
    'scheduledAt',
    'updatedAt',
  ])
  assert.deepEqual(rest, {
    counts: {
      recipients: 0,
      delivered: 0,
      opened: 0,
      clicked: 0,
      bounced: 0,
      complained: 0,
      unsubscribed: 0,
    },
    rates: { delivered: null, opened: null, clicked: null, bounced: null },
    delivery: null,
    timeline: [],
    audience: { total: 0, proxiedShare: 0, device: [], os: [], client: [] },
    links: [],
    html: '',
  })
})

test('200: counts, rates, windows, audience and links of the events so far', async () => {
  const campaign = await sentCampaign(api, workspace, {
    ...{ contacts: 10, secondsAgo: 7 * 3600 },
    links: ['https://example.com/a', 'https://example.com/b?u={{email}}', 'https://example.com/c'],
  })
  await open(api, campaign.pixel(0))
  await open(api, campaign.pixel(1), gmailRelay)
  await open(api, campaign.pixel(2), phone)
  await open(api, campaign.link(3, 1))
  await open(api, campaign.link(3, 1))
  await open(api, campaign.link(0, 0))
  const feedbackOf = (contact: number, kind: 'delivered' | 'bounced' | 'complained') =>
    newsFrom({ campaignId: campaign.id, subscriberId: campaign.contacts[contact] ?? '' }, kind)
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [feedbackOf(4, 'delivered'), feedbackOf(5, 'bounced'), feedbackOf(6, 'complained')],
  })
  await markUnsubscribed(service.db, workspace.id, {
    campaignId: campaign.id,
    subscriberId: campaign.contacts[2] ?? '',
  })
  const { body } = await statsOf(campaign.id)
  assert.deepEqual(at(body, 'counts'), {
    recipients: 10,
    delivered: 6,
    opened: 4,
    clicked: 2,
    bounced: 1,
    complained: 1,
    unsubscribed: 1,
  })
  assert.deepEqual(at(body, 'rates'), {
    delivered: 0.6,
    opened: 4 / 6,
    clicked: 2 / 6,
    bounced: 0.1,
  })
  const timeline = labels.map((label) => ({ label, opened: 0, clicked: 0 }))
  timeline[1] = { label: '6-12h', opened: 4, clicked: 2 }
  assert.deepEqual(at(body, 'timeline'), timeline)
  assert.deepEqual(at(body, 'audience'), {
    ...{ total: 4, proxiedShare: 0.25 },
    device: [
      { label: 'Desktop', count: 2, share: 0.5 },
      { label: 'Mobile', count: 1, share: 0.25 },
      { label: 'Unknown', count: 1, share: 0.25 },
    ],
    os: [
      { label: 'Windows', count: 2, share: 0.5 },
      { label: 'Unknown', count: 1, share: 0.25 },
      { label: 'iOS', count: 1, share: 0.25 },
    ],
    client: [
      { label: 'Chrome', count: 2, share: 0.5 },
      { label: 'Apple Mail', count: 1, share: 0.25 },
      { label: 'Gmail', count: 1, share: 0.25 },
    ],
  })
  assert.deepEqual(at(body, 'links'), [
    { url: 'https://example.com/b?u={{email}}', clicks: 2 },
    { url: 'https://example.com/a', clicks: 1 },
    { url: 'https://example.com/c', clicks: 0 },
  ])
  const read = await ask(api.baseUrl, `GET /api/v1/campaigns/${campaign.id}`, {
    key: workspace.key,
  })
  assert.deepEqual(at(read.body, 'counts'), at(body, 'counts'))
  assert.deepEqual(at(read.body, 'rates'), at(body, 'rates'))
})

test('200: at most five rows of each breakdown, the most frequent first', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 9 })
  const agents = [
    'Thunderbird/1',
    'Airmail 1',
    'Spark/2',
    'eM Client/9',
    'Evolution/3',
    'KMail/5',
    'Postbox/7',
    'Airmail 2',
    'KMail/6',
  ]
  for (const [contact, agent] of agents.entries()) await open(api, campaign.pixel(contact), agent)
  const client = at((await statsOf(campaign.id)).body, 'audience', 'client')
  assert.deepEqual(
    Array.isArray(client) && client.map((row) => [at(row, 'label'), at(row, 'count')]),
    [
      ['Airmail', 2],
      ['KMail', 2],
      ['Evolution', 1],
      ['Postbox', 1],
      ['Spark', 1],
    ],
  )
})

test('200: a recipient who opened and bounced, in either order, counts as bounced alone; a later complaint counts the open again', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 3 })
  const report = (contact: number, kind: 'bounced' | 'complained') =>
    recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [
        newsFrom({ campaignId: campaign.id, subscriberId: campaign.contacts[contact] ?? '' }, kind),
      ],
    })
  await open(api, campaign.pixel(0))
  await open(api, campaign.link(0, 1))
  await open(api, campaign.pixel(2))
  const before = await statsOf(campaign.id)
  assert.partialDeepStrictEqual(before.body, {
    counts: { delivered: 2, opened: 2, clicked: 1, bounced: 0 },
    rates: { delivered: 2 / 3, opened: 1, clicked: 0.5, bounced: 0 },
  })
  await report(0, 'bounced')
  await report(1, 'bounced')
  await open(api, campaign.pixel(1))
  await open(api, campaign.link(1, 0))
  assert.partialDeepStrictEqual((await statsOf(campaign.id)).body, {
    counts: { delivered: 1, opened: 1, clicked: 0, bounced: 2 },
    rates: { delivered: 1 / 3, opened: 1, clicked: 0, bounced: 2 / 3 },
    audience: { total: 1 },
    links: [{ clicks: 0 }, { clicks: 0 }],
  })
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
  await report(2, 'bounced')
  assert.partialDeepStrictEqual((await statsOf(campaign.id)).body, {
    counts: { delivered: 0, opened: 0, bounced: 3 },
    rates: { delivered: 0, opened: null, clicked: null, bounced: 1 },
  })
  await report(0, 'complained')
  assert.partialDeepStrictEqual((await statsOf(campaign.id)).body, {
    counts: { delivered: 1, opened: 1, clicked: 1, bounced: 2, complained: 1 },
    rates: { opened: 1, clicked: 1 },
    audience: { total: 1 },
  })
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
})

test('200: rates stay between 0 and 1 when a process of the previous version counts more opens than deliveries', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.link(0, 1))
  await service.db.count(sql`
    update campaign_tally set count = 50 where campaign_id = ${campaign.id} and measure in ('opened', 'clicked') and label = ''`)
  assert.partialDeepStrictEqual((await statsOf(campaign.id)).body, {
    counts: { opened: 50 },
    rates: { opened: 1, clicked: 1 },
  })
})

test('200: html is the frozen rendering without personal links, once it has gone out', async () => {
  const campaign = await sentCampaign(api, workspace)
  const compiled = compileCampaign({
    campaignId: campaign.id,
    workspace: { id: workspace.id, name: 'Stats', slug: 'stats', postalAddress: null },
    source: { kind: 'text', text: 'Hello {{firstName | default: "you"}}\n\nhttps://example.com/a' },
    ...{
      subject: 'News',
      preheader: null,
      from: { name: null, address: 'hello@example.com' },
      returnPathHost: null,
      baseUrl: api.baseUrl,
      language: 'en',
    },
    ...{ trackOpens: true, trackClicks: true },
  })
  await service.db.count(
    sql`update campaign set compiled = ${JSON.stringify(compiled)}::json where workspace_id = ${workspace.id} and id = ${campaign.id}`,
  )
  const html = String(at((await statsOf(campaign.id)).body, 'html'))
  assert.match(html, /^<!doctype html>/i)
  assert.match(html, /Hello you/)
  assert.match(html, /href="https:\/\/example\.com\/a"/)
  assert.doesNotMatch(html, /\/(?:c|o|unsubscribe|view)\/[\w-]{64}/)
  await service.db.count(
    sql`update campaign set status = 'scheduled', sent_at = null where workspace_id = ${workspace.id} and id = ${campaign.id}`,
  )
  assert.partialDeepStrictEqual((await statsOf(campaign.id)).body, { html: '', timeline: [] })
})

test('404 not_found: an unknown id, one of another workspace, or a malformed one', async () => {
  const stranger = await api.workspace('campaign stats stranger')
  const campaign = await sentCampaign(api, workspace)
  assertRefused(await statsOf(campaign.id, stranger.key), 'not_found')
  assertRefused(await statsOf(service.makeId()), 'not_found')
  assertRefused(await statsOf('nothing'), 'not_found')
})

test('403 insufficient_scope: a key without campaigns:read', async () => {
  const campaign = await sentCampaign(api, workspace)
  assertRefused(
    await statsOf(campaign.id, await workspace.makeKey(['campaigns:write'])),
    'insufficient_scope',
  )
})

test('statistics read the counters only: they stay when the rows of recipients cannot be read', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.pixel(0), browser)
  const before = (await statsOf(campaign.id)).body
  await api.run('alter table campaign_recipient rename to recipients_away')
  await api.run('alter table engagement rename to engagement_away')
  const during = (await statsOf(campaign.id)).body
  await api.run('alter table engagement_away rename to engagement')
  await api.run('alter table recipients_away rename to campaign_recipient')
  assert.deepEqual(during, before)
})
