/**
 * Opens and clicks: each recipient counts once, relays count, scanners do not, and an open ends
 * doubt (semantics 2, 5).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import {
  createRecordEngagement,
  type EngagementRequest,
} from '../../../src/core/tracking/record-engagement.ts'
import { recountCampaign } from '../../../src/db/campaigns/campaign-recount.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { markUnsubscribed } from '../../../src/db/campaigns/campaign-tallies.ts'
import { addTrackingRoutes } from '../../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { callVerb } from '../../support/call-verb.ts'
import { startApi } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'
import {
  browser,
  filter,
  gmailRelay,
  progress,
  recipients,
  sentCampaign,
  tallies,
  open,
  type SentCampaign,
} from '../../support/tracking-world.ts'

const api = await startApi({
  workers: false,
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const workspace = await api.workspace('tracking')
const { service } = api

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'
const counted = (campaign: SentCampaign) => tallies(api, workspace, campaign.id)

test('a recipient who opens three times is one open; the mail is known to have arrived', async () => {
  const campaign = await sentCampaign(api, workspace)
  for (let time = 0; time < 3; time++)
    assert.equal((await open(api, campaign.pixel(0))).status, 200)
  assert.deepEqual(await counted(campaign), {
    'client/Chrome': 1,
    delivered: 1,
    'device/Desktop': 1,
    engaged: 1,
    opened: 1,
    'opened_at/h1': 1,
    'opened_in/0': 1,
    'os/Windows': 1,
  })
  const rows = await recipients(api, workspace, campaign.id)
  assert.deepEqual(rows[0], {
    state: 'settled',
    status: 'delivered',
    opened: true,
    clicked: false,
    deliveredBy: 'open',
  })
  assert.deepEqual(rows[1], {
    state: 'settled',
    status: 'sent',
    opened: false,
    clicked: false,
    deliveredBy: null,
  })
})

test('the first open of a recipient decides its device and program', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.pixel(0), phone)
  await open(api, campaign.pixel(0), browser)
  const {
    'device/Mobile': mobile,
    'device/Desktop': desktop,
    'client/Apple Mail': mail,
  } = await counted(campaign)
  assert.deepEqual([mobile, desktop, mail], [1, undefined, 1])
})

test("a recipient's click is an open too, and each click counts for its link", async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.link(0, 1))
  await open(api, campaign.link(0, 1))
  await open(api, campaign.link(0, 0))
  assert.partialDeepStrictEqual(await counted(campaign), {
    opened: 1,
    clicked: 1,
    'link/1': 2,
    'link/0': 1,
    'clicked_in/0': 1,
    delivered: 1,
  })
  assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
    opened: true,
    clicked: true,
    deliveredBy: 'click',
  })
})

test('a privacy relay counts as an open, and apart as one of a relay', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.pixel(0), gmailRelay)
  await open(api, campaign.pixel(1), 'Mozilla/5.0')
  await open(api, campaign.pixel(2), browser)
  assert.partialDeepStrictEqual(await counted(campaign), {
    opened: 3,
    relayed: 2,
    'client/Gmail': 1,
    'client/Apple Mail': 1,
    'device/Unknown': 2,
  })
})

test('requests of scanners, HEAD and prefetches are stored, count for nothing and prove no arrival', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.pixel(0), filter)
  await open(api, campaign.link(0, 0), filter)
  await open(api, campaign.link(0, 0), browser, { method: 'HEAD' })
  await open(api, campaign.pixel(0), browser, { method: 'HEAD' })
  await open(api, campaign.link(0, 0), browser, { headers: { 'sec-purpose': 'prefetch' } })
  await open(api, campaign.link(0, 0), gmailRelay)
  assert.deepEqual(await counted(campaign), {})
  assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
    status: 'sent',
    opened: false,
    clicked: false,
  })
  const stored = await service.db.rows(
    sql`select visitor from engagement where workspace_id = ${workspace.id} and campaign_id = ${campaign.id}`,
  )
  assert.deepEqual(
    stored,
    Array.from({ length: 6 }, () => ({ visitor: 'scanner' })),
  )
})

test('each open and click is stored with its user agent and address', async () => {
  const campaign = await sentCampaign(api, workspace)
  await open(api, campaign.link(1, 1), phone)
  const rows = await service.db.rows(sql`
    select subscriber_id, kind, link_position, visitor, user_agent, ip, device, os, client from engagement
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id}`)
  assert.deepEqual(rows, [
    {
      ...{
        subscriberId: campaign.contacts[1],
        kind: 'click',
        linkPosition: 1,
        visitor: 'person',
        userAgent: phone,
        ip: '127.0.0.1',
      },
      ...{ device: 'Mobile', os: 'iOS', client: 'Apple Mail' },
    },
  ])
})

for (const [hoursAgo, window, bar] of [
  [5.9, 0, 'h5'],
  [6.1, 1, 'h6'],
  [23.9, 3, 'h23'],
  [24.1, 4, 'd1'],
  [47.9, 7, 'd1'],
  [48.1, null, 'd2'],
  [167.9, null, 'd6'],
  [168.1, null, 'later'],
] as const) {
  test(`an open ${hoursAgo} hours after the hand-off began belongs to window ${window} and bar ${bar}`, async () => {
    const campaign = await sentCampaign(api, workspace, { secondsAgo: hoursAgo * 3600 })
    await open(api, campaign.link(0, 0))
    const names = Object.keys(await counted(campaign))
    assert.deepEqual(
      names.filter((name) => name.includes('_in/')),
      window === null ? [] : [`clicked_in/${window}`, `opened_in/${window}`],
    )
    assert.deepEqual(
      names.filter((name) => name.includes('_at/')),
      [`clicked_at/${bar}`, `opened_at/${bar}`],
    )
    assert.equal(
      await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
      0,
    )
  })
}

test('windows begin with the hand-off, not with the freeze: 5 h 59 after a hand-off that was delayed is the first window', async () => {
  const campaign = await sentCampaign(api, workspace, { secondsAgo: 5 * 3600 + 59 * 60 })
  await api.run(
    `update campaign set frozen_at = frozen_at - interval '3 hours' where id = '${campaign.id}'`,
  )
  await open(api, campaign.link(0, 0))
  assert.partialDeepStrictEqual(await counted(campaign), { 'clicked_in/0': 1, 'opened_in/0': 1 })
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
})

test('four different links within seconds are a scanner; three, however often, are a human', async () => {
  for (const [links, isContact] of [
    [[0, 1, 2, 2, 1, 0], true],
    [[0, 1, 2, 3], false],
  ] as const) {
    const campaign = await sentCampaign(api, workspace, {
      links: Array.from({ length: 6 }, (_, n) => `https://example.com/${n}`),
      secondsAgo: 0,
    })
    for (const link of links) await open(api, campaign.link(0, link))
    const { clicked = 0, opened = 0 } = await counted(campaign)
    assert.deepEqual([clicked, opened], isContact ? [1, 1] : [0, 0])
  }
})

const startings = [
  { was: 'in_doubt', row: { state: 'in_doubt', status: 'queued' }, place: 'in_doubt' },
  { was: 'waiting for another try', row: { state: 'pending', status: 'queued' }, place: 'pending' },
  { was: 'given up', row: { state: 'settled', status: 'failed' }, place: 'failed' },
  {
    was: 'suppressed after a try',
    row: { state: 'settled', status: 'suppressed' },
    place: 'suppressed',
  },
]
for (const { was, row, place: location } of startings) {
  test(`an open of a recipient who was ${was}: delivered, not sent again, and progress adds up`, async () => {
    const campaign = await sentCampaign(api, workspace, { row })
    assert.deepEqual((await progress(api, workspace, campaign.id))[location], 3)
    await open(api, campaign.pixel(1))
    await open(api, campaign.link(1, 0))
    assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[1], {
      state: 'settled',
      status: 'delivered',
      deliveredBy: 'open',
    })
    const none = { pending: 0, sent: 0, failed: 0, suppressed: 0, in_doubt: 0 }
    assert.deepEqual(await progress(api, workspace, campaign.id), {
      ...none,
      [location]: 2,
      sent: 1,
    })
    assert.equal((await counted(campaign))['delivered'], 1)
  })
}

test('an open while the hand-off still waits for its answer: delivered, and the holder completes the row', async () => {
  const campaign = await sentCampaign(api, workspace, {
    row: { state: 'leased', status: 'queued' },
  })
  await open(api, campaign.pixel(0))
  assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
    state: 'leased',
    status: 'delivered',
  })
  assert.equal((await progress(api, workspace, campaign.id))['pending'], 3)
})

test('a bounce and a complaint stay what they are; an open counts for the complaint alone, and is stored for both', async () => {
  for (const [status, opened] of [
    ['bounced', false],
    ['complained', true],
  ] as const) {
    const campaign = await sentCampaign(api, workspace, { row: { status, sent: true } })
    await open(api, campaign.pixel(0))
    await open(api, campaign.link(0, 0))
    assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
      status,
      opened,
      clicked: opened,
    })
    const {
      opened: contacts = 0,
      clicked = 0,
      'link/0': clicks = 0,
      'client/Chrome': chrome = 0,
    } = await counted(campaign)
    assert.deepEqual([contacts, clicked, clicks, chrome], opened ? [1, 1, 1, 1] : [0, 0, 0, 0])
    const stored = await service.db.rows(
      sql`select 1 from engagement where campaign_id = ${campaign.id}`,
    )
    assert.equal(stored.length, 2)
  }
})

test('a scanner that is found out at an address that bounced takes nothing back and gives nothing', async () => {
  const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`)
  const campaign = await sentCampaign(api, workspace, { links, secondsAgo: 0 })
  for (let link = 0; link < 3; link++) await open(api, campaign.link(0, link))
  const target = { campaignId: campaign.id, subscriberId: campaign.contacts[0] ?? '' }
  await recordFeedback(service, {
    workspaceId: workspace.id,
    feedback: [newsFrom(target, 'bounced')],
  })
  assert.deepEqual(await counted(campaign), { bounced: 1 })
  for (let link = 3; link < 6; link++) await open(api, campaign.link(0, link))
  assert.deepEqual(await counted(campaign), { bounced: 1 })
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
})

test('a released recipient who opens the copy that had left after all gets no second one', async () => {
  const campaign = await sentCampaign(api, workspace, {
    contacts: 1,
    row: { state: 'in_doubt', status: 'queued' },
  })
  assert.equal(
    (
      await callVerb(service, workspace.id, 'releaseInDoubtRecipients', {
        params: { id: campaign.id },
      })
    ).reopened,
    1,
  )
  await open(api, campaign.pixel(0))
  assert.partialDeepStrictEqual(await counted(campaign), { opened: 1, delivered: 1 })
  assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
    state: 'settled',
    status: 'delivered',
  })
  assert.partialDeepStrictEqual(await progress(api, workspace, campaign.id), {
    pending: 0,
    sent: 1,
  })
})

test('a mail that was never handed over cannot be opened: nothing is stored', async () => {
  const campaign = await sentCampaign(api, workspace, {
    row: { state: 'pending', status: 'queued', attempts: 0 },
  })
  assert.equal((await open(api, campaign.pixel(0))).status, 200)
  assert.deepEqual(await counted(campaign), {})
  assert.deepEqual(
    await service.db.rows(
      sql`select 1 from engagement where workspace_id = ${workspace.id} and campaign_id = ${campaign.id}`,
    ),
    [],
  )
})

test('many links within seconds of the hand-off are a scanner: its counts are taken back', async () => {
  const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`)
  const campaign = await sentCampaign(api, workspace, { links, secondsAgo: 0 })
  await open(api, campaign.pixel(0))
  for (let link = 0; link < 3; link++) await open(api, campaign.link(0, link))
  assert.partialDeepStrictEqual(await counted(campaign), { opened: 1, clicked: 1, 'link/2': 1 })
  for (let link = 3; link < 6; link++)
    assert.equal((await open(api, campaign.link(0, link))).status, 302)
  assert.deepEqual(await counted(campaign), { delivered: 1, engaged: 1 })
  assert.partialDeepStrictEqual((await recipients(api, workspace, campaign.id))[0], {
    opened: false,
    clicked: false,
  })
  await api.moveClock('20 seconds')
  await open(api, campaign.link(0, 5))
  await api.moveClock('0 seconds')
  assert.partialDeepStrictEqual(await counted(campaign), {
    opened: 1,
    clicked: 1,
    'link/5': 1,
    'client/Chrome': 1,
  })
})

test('many links later on, and few at once, are a human', async () => {
  const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`)
  const later = await sentCampaign(api, workspace, { links, secondsAgo: 60 })
  for (let link = 0; link < 6; link++) await open(api, later.link(0, link))
  assert.partialDeepStrictEqual(await counted(later), { clicked: 1, 'link/0': 1, 'link/5': 1 })
  const few = await sentCampaign(api, workspace, { links, secondsAgo: 0 })
  for (let link = 0; link < 3; link++) await open(api, few.link(0, link))
  assert.partialDeepStrictEqual(await counted(few), { clicked: 1, 'link/0': 1, 'link/2': 1 })
})

const requestOf = (
  campaign: SentCampaign,
  contact: number,
  more: Partial<EngagementRequest> = {},
): EngagementRequest => ({
  subject: {
    of: 'campaign',
    workspaceId: workspace.id,
    campaignId: campaign.id,
    subscriberId: campaign.contacts[contact] ?? '',
  },
  ...{
    kind: 'open',
    link: null,
    method: 'GET',
    headers: { 'user-agent': browser },
    address: '127.0.0.1',
  },
  ...more,
})

test('all recipients at once over several processes, each several times: no deadlock, and each counts once', async () => {
  const campaigns = [
    await sentCampaign(api, workspace, {
      contacts: 60,
      row: { state: 'in_doubt', status: 'queued' },
    }),
    await sentCampaign(api, workspace, { contacts: 60 }),
  ]
  const processes = Array.from({ length: 4 }, () => createRecordEngagement(service))
  const requests = campaigns.flatMap((campaign) =>
    Array.from({ length: 600 }, (_, index) =>
      requestOf(campaign, index % 60, index % 3 === 0 ? { kind: 'click', link: index % 2 } : {}),
    ),
  )
  const shuffled = requests.toSorted(() => Math.random() - 0.5)
  await Promise.all(shuffled.map(async (each, index) => processes[index % 4]?.(each)))
  for (const campaign of campaigns) {
    assert.partialDeepStrictEqual(await counted(campaign), {
      opened: 60,
      clicked: 20,
      'link/0': 100,
      'link/1': 100,
      delivered: 60,
    })
    assert.deepEqual(await progress(api, workspace, campaign.id), {
      pending: 0,
      sent: 60,
      failed: 0,
      suppressed: 0,
      in_doubt: 0,
    })
  }
})

test("one request's input never fails another's", async () => {
  const campaign = await sentCampaign(api, workspace)
  const record = createRecordEngagement(service)
  const broken = record(requestOf(campaign, 0, { kind: 'click', link: 2 ** 40 }))
  const others = [1, 2].map((contact) => record(requestOf(campaign, contact)))
  await assert.rejects(broken)
  await Promise.all(others)
  assert.equal((await counted(campaign))['opened'], 2)
})

test('an unsubscription by a campaign counts once, and only of its recipients', async () => {
  const campaign = await sentCampaign(api, workspace)
  const who = { campaignId: campaign.id, subscriberId: campaign.contacts[0] ?? '' }
  const marked = await Promise.all(
    [1, 2, 3].map(() => markUnsubscribed(service.db, workspace.id, who)),
  )
  assert.deepEqual(marked.filter(Boolean), [true])
  assert.equal(
    await markUnsubscribed(service.db, workspace.id, { ...who, subscriberId: service.makeId() }),
    false,
  )
  assert.deepEqual(await counted(campaign), { unsubscribed: 1 })
})
