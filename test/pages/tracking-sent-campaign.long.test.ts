/**
 * A campaign from the API to its statistics: really sent into the capture mailbox, opened, clicked
 * and reported.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { recountCampaign } from '../../src/db/campaigns/campaign-recount.ts'
import { sql } from '../../src/database/client/sql.ts'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { browser, filter, gmailRelay, open } from '../support/tracking-world.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { until } from '../support/until.ts'

const api = await startApi({
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const { service } = api

interface Received {
  recipient: string
  pixel: string | null
  /** Paths of tracked links, each once, in the order of the mail. */
  links: string[]
  html: string
}

async function mailsOf(workspace: TestWorkspace, campaignId: string): Promise<Received[]> {
  const rows = await service.db.rows<{ recipient: string; raw: Buffer }>(sql`
    select recipient, raw from captured_mail where workspace_id = ${workspace.id} and campaign_id = ${campaignId} order by recipient`)
  return Promise.all(
    rows.map(async ({ recipient, raw }) => {
      const html = (await PostalMime.parse(raw)).html ?? ''
      const paths = (pattern: RegExp): string[] => [
        ...new Set(
          [...html.matchAll(pattern)].map((match) => (match[1] ?? '').replace(api.baseUrl, '')),
        ),
      ]
      return {
        recipient,
        html,
        pixel: paths(/src="([^"]+\/o\/[^"]+)"/g)[0] ?? null,
        links: paths(/href="([^"]+\/c\/[^"]+)"/g),
      }
    }),
  )
}

const statsOf = async (workspace: TestWorkspace, id: string) =>
  (await ask(api.baseUrl, `GET /api/v1/campaigns/${id}/stats`, { key: workspace.key })).body

/** Until the pending feedback of the capture mailbox was given. */
async function untilCounted(
  workspace: TestWorkspace,
  id: string,
  counts: Record<string, number>,
): Promise<unknown> {
  return until(
    () => statsOf(workspace, id),
    (stats) => Object.entries(counts).every(([name, count]) => at(stats, 'counts', name) === count),
  )
}

const text =
  'Hello {{firstName}},\n\nread https://example.com/news or https://example.com/for?who={{email}} today.\n\n{{unsubscribe_url}}'

test('sent, delivered, bounced, opened and clicked: the statistics agree, and so does a recount', async () => {
  const workspace = await api.workspace('sent and tracked')
  await addSubscribers(api, workspace, 6)
  await service.db.count(sql`
    update subscriber set email = 'bounced@simulator.test' where workspace_id = ${workspace.id} and email = 'person6@example.com'`)
  const id = await draftOf(api, workspace, { text })
  assert.equal(at(await statsOf(workspace, id), 'html'), '')
  assert.equal((await send(api, workspace, id)).status, 202)
  await untilSent(api, workspace, id)
  const mails = await mailsOf(workspace, id)
  assert.equal(mails.length, 6)
  const [first, second, third] = mails.filter(({ recipient }) => recipient.startsWith('person'))
  assert.ok(first && second && third)
  assert.equal(first.links.length, 2, 'the links of the text; never the one to leave')
  await untilCounted(workspace, id, { delivered: 5, bounced: 1 })
  await open(api, first.pixel ?? '', gmailRelay)
  const followed = await open(api, second.links[1] ?? '')
  assert.equal(
    followed.headers.get('location'),
    `https://example.com/for?who=${encodeURIComponent(second.recipient)}`,
  )
  await open(api, third.pixel ?? '', filter)
  for (const path of third.links) await open(api, path, browser, { method: 'HEAD' })
  const stats = await statsOf(workspace, id)
  assert.deepEqual(at(stats, 'counts'), {
    recipients: 6,
    delivered: 5,
    opened: 2,
    clicked: 1,
    bounced: 1,
    complained: 0,
    unsubscribed: 0,
  })
  assert.deepEqual(at(stats, 'rates'), {
    delivered: 5 / 6,
    opened: 2 / 5,
    clicked: 1 / 5,
    bounced: 1 / 6,
  })
  assert.deepEqual(at(stats, 'timeline', '0'), { label: '0-6h', opened: 2, clicked: 1 })
  assert.partialDeepStrictEqual(at(stats, 'audience'), { total: 2, proxiedShare: 0.5 })
  assert.deepEqual(at(stats, 'links'), [
    { url: 'https://example.com/for?who={{email}}', clicks: 1 },
    { url: 'https://example.com/news', clicks: 0 },
  ])
  const html = String(at(stats, 'html'))
  assert.match(html, /https:\/\/example\.com\/news/)
  assert.doesNotMatch(html, /\/(?:c|o|unsubscribe|view)\/[\w-]{64}/)
  assert.equal(await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: id }), 0)
})

test('a campaign that tracks neither has no pixel and its own links; a workspace says so for all that follow', async () => {
  const workspace = await api.workspace('not tracked')
  await addSubscribers(api, workspace, 1)
  await api.run(
    `update workspace set track_opens = false, track_clicks = false where id = ${workspace.id}`,
  )
  const id = await draftOf(api, workspace, { text })
  assert.equal((await send(api, workspace, id)).status, 202)
  await untilSent(api, workspace, id)
  const [mail] = await mailsOf(workspace, id)
  assert.partialDeepStrictEqual(mail, { pixel: null, links: [] })
  assert.match(mail?.html ?? '', /href="https:\/\/example\.com\/news"/)
  const tracked = await draftOf(api, workspace, { text })
  await api.run(`update campaign set track_clicks = true where id = '${tracked}'`)
  assert.equal((await send(api, workspace, tracked)).status, 202)
  await untilSent(api, workspace, tracked)
  const [other] = await mailsOf(workspace, tracked)
  assert.equal(other?.pixel, null)
  assert.equal(other?.links.length, 2)
})
