/**
 * The pixel and the click redirect over HTTP: no open redirect, nothing cached, always answered.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { createRepeatLimit } from '../../src/core/tracking/repeat-limit.ts'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { startApi } from '../support/api.ts'
import { freshDatabase } from '../support/database.ts'
import {
  messagePaths,
  sentCampaign,
  tallies,
  open,
  type SentCampaign,
} from '../support/tracking-world.ts'

const entry = {
  workers: false,
  entry: (service) => ({
    trustProxy: true,
    addRoutes: (server) => addTrackingRoutes(server, service),
  }),
} satisfies Parameters<typeof startApi>[0]
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const api = await startApi(entry)
const broken = await startApi({ ...entry, log: quiet, database: await freshDatabase() })
const workspace = await api.workspace('pages tracking')
const { service } = api

const location = (response: Response): string | null => response.headers.get('location')

function assertPrivacy(response: Response): void {
  assert.equal(response.headers.get('set-cookie'), null)
  assert.match(response.headers.get('cache-control') ?? '', /no-store/)
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
}

test('the pixel: 43 bytes of a transparent GIF, not cached', async () => {
  const campaign = await sentCampaign(api, workspace)
  const response = await open(api, campaign.pixel(0))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'image/gif')
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(bytes.length, 43)
  assert.equal(bytes.toString('latin1', 0, 6), 'GIF89a')
  assert.deepEqual([bytes.readUInt16LE(6), bytes.readUInt16LE(8)], [1, 1])
  assertPrivacy(response)
})

test('the pixel is answered for any token, and a bad one counts nothing', async () => {
  const campaign = await sentCampaign(api, workspace)
  const good = campaign.pixel(0)
  const unsubscribe = service.linkTokens.make('unsubscribe', {
    workspaceId: workspace.id,
    first: campaign.id,
    second: campaign.contacts[0] ?? '',
  })
  const unknown = service.linkTokens.make('track', {
    workspaceId: 999_999,
    first: campaign.id,
    second: campaign.contacts[0] ?? '',
  })
  for (const path of [
    '/o/nothing',
    `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
    `/o/${unsubscribe}`,
    `/o/${unknown}`,
    '/o/%00',
    `/o/${'A'.repeat(64)}`,
  ]) {
    const response = await open(api, path)
    assert.equal(response.status, 200, path)
    assert.equal((await response.arrayBuffer()).byteLength, 43, path)
  }
  assert.deepEqual(await tallies(api, workspace, campaign.id), {})
})

test('a click is sent on to where the author wrote, without a word of where from', async () => {
  const campaign = await sentCampaign(api, workspace, {
    links: ['https://example.com/a?x=1&y=2#z', 'http://example.org/é'],
  })
  const response = await open(api, campaign.link(0, 0))
  assert.equal(response.status, 302)
  assert.equal(location(response), 'https://example.com/a?x=1&y=2#z')
  assert.equal(await response.text(), '')
  assertPrivacy(response)
  assert.equal(location(await open(api, campaign.link(0, 1))), 'http://example.org/%C3%A9')
  const polled = await open(api, campaign.link(0, 0), undefined, { method: 'HEAD' })
  assert.deepEqual([polled.status, location(polled)], [302, 'https://example.com/a?x=1&y=2#z'])
})

async function assertPlainPage(response: Response, why: string): Promise<void> {
  assert.equal(response.status, 404, why)
  assert.equal(location(response), null, why)
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/, why)
  assert.match(await response.text(), /<!doctype html>/, why)
  assertPrivacy(response)
}

test('a token or a position that is not ours: a plain page, and never a redirect', async () => {
  const campaign = await sentCampaign(api, workspace)
  const other = await sentCampaign(api, workspace, { links: [] })
  const good = campaign.link(0, 0)
  const subject = {
    workspaceId: workspace.id,
    first: campaign.id,
    second: campaign.contacts[0] ?? '',
  }
  const paths = [
    '/c/nothing/0',
    good.replace(/.\/0$/, (end) => (end.startsWith('A') ? 'B/0' : 'A/0')),
    `/c/${service.linkTokens.make('view', subject)}/0`,
    `/c/${service.linkTokens.make('track', { ...subject, workspaceId: workspace.id + 1 })}/0`,
    campaign.link(0, 2),
    campaign.link(0, 99_999),
    other.link(0, 0),
    `${good}x`,
    good.replace(/\/0$/, '/-1'),
    good.replace(/\/0$/, '/0x0'),
    good.replace(/\/0$/, '/https:%2F%2Fevil.test'),
  ]
  for (const path of paths) await assertPlainPage(await open(api, path), path)
})

test("no request's input chooses where a link leads", async () => {
  const campaign = await sentCampaign(api, workspace)
  for (const suffix of ['?url=https://evil.test', '?to=//evil.test', '#https://evil.test']) {
    const response = await open(api, campaign.link(0, 0) + suffix, undefined, {
      headers: { 'x-forwarded-host': 'evil.test', host: 'evil.test' },
    })
    assert.equal(location(response), 'https://example.com/a')
  }
})

test('a stored address that is no web address is no redirect either', async () => {
  const campaign = await sentCampaign(api, workspace, {
    links: [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.com',
      '/relative',
      '//evil.test',
      'mailto:a@b.test',
      'https://{{firstName | default: "evil.test"}}/',
      'https://example.com{{firstName | default: ".evil.test"}}/',
    ],
  })
  for (let link = 0; link < 8; link++)
    await assertPlainPage(await open(api, campaign.link(0, link)), `link ${link}`)
})

test("merge tags are filled at the click, percent-encoded: a contact's data stays a value", async () => {
  const links = [
    'https://example.com/?e={{email}}&n={{firstName | default: "you"}}',
    'https://example.com/{{fields.city}}/x',
  ]
  const campaign = await sentCampaign(api, workspace, { links })
  const set = (fields: object, name: string | null) =>
    service.db.count(sql`
      update subscriber set fields = ${JSON.stringify(fields)}::jsonb, first_name = ${name} where workspace_id = ${workspace.id} and id = ${campaign.contacts[0]}`)
  await set({ city: '../../@evil.test/?#' }, 'Zoé & co')
  const [row] = await service.db.rows<{ email: string }>(
    sql`select email from subscriber where workspace_id = ${workspace.id} and id = ${campaign.contacts[0]}`,
  )
  assert.equal(
    location(await open(api, campaign.link(0, 0))),
    `https://example.com/?e=${encodeURIComponent(row?.email ?? '')}&n=Zo%C3%A9%20%26%20co`,
  )
  const strange = new URL(location(await open(api, campaign.link(0, 1))) ?? '')
  assert.equal(strange.origin, 'https://example.com')
  assert.equal(strange.search + strange.hash, '')
  await set({}, null)
  assert.match(location(await open(api, campaign.link(0, 0))) ?? '', /&n=you$/)
  await service.db.count(
    sql`delete from subscriber where workspace_id = ${workspace.id} and id = ${campaign.contacts[0]}`,
  )
  assert.equal(location(await open(api, campaign.link(0, 0))), 'https://example.com/?e=&n=you')
})

test('one network again and again, by any address of its /64, is held back, and still answered; a relay that opens for thousands loses none', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 60 })
  for (let time = 0; time < 50; time++) {
    const headers = { 'x-forwarded-for': `2001:db8::${time.toString(16)}` }
    assert.equal((await open(api, campaign.link(0, 0), undefined, { headers })).status, 302)
  }
  const stored = async (contact: number): Promise<number> => {
    const rows = await service.db.rows(sql`
      select 1 from engagement where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id = ${campaign.contacts[contact]}`)
    return rows.length
  }
  assert.equal(await stored(0), 20)
  await Promise.all(
    campaign.contacts.map((_, contact) =>
      open(api, campaign.pixel(contact), 'YahooMailProxy; https://help.yahoo.com'),
    ),
  )
  assert.deepEqual((await tallies(api, workspace, campaign.id))['opened'], 60)
})

test('the limit on repeats lasts a minute, and holds 100,000 visitors: further ones are not limited', () => {
  let nowMs = 0
  const passes = createRepeatLimit({ monotonicMs: () => nowMs })
  const repeat = (name: string, times: number): boolean[] =>
    Array.from({ length: times }, () => passes(name))
  assert.deepEqual(repeat('first', 21).slice(-2), [true, false])
  nowMs = 59_999
  assert.equal(passes('first'), false)
  nowMs = 60_000
  assert.deepEqual(repeat('first', 21).slice(-2), [true, false])
  for (let other = 1; other < 100_000; other++) passes(String(other))
  assert.ok(repeat('one too many', 30).every(Boolean))
  assert.equal(passes('first'), false)
})

async function sentBy(campaign: SentCampaign): Promise<Response[]> {
  return Promise.all([open(broken, campaign.pixel(0)), open(broken, campaign.link(0, 0))])
}

test('503: an open or a click that could not be committed, without a redirect', async () => {
  const elsewhere = await broken.workspace('broken tracking')
  const campaign = await sentCampaign(broken, elsewhere)
  await broken.run('alter table engagement rename to engagement_away')
  const [opened, clicked] = await sentBy(campaign)
  assert.equal(opened?.status, 503)
  assert.equal((await opened?.arrayBuffer())?.byteLength, 43)
  assert.equal(clicked?.status, 503)
  assert.equal(clicked && location(clicked), null)
  await broken.run('alter table engagement_away rename to engagement')
  assert.deepEqual(
    (await sentBy(campaign)).map(({ status }) => status),
    [200, 302],
  )
  assert.partialDeepStrictEqual(await tallies(broken, elsewhere, campaign.id), {
    opened: 1,
    clicked: 1,
  })
})

test('a token for an unknown message is answered like a forged one', async () => {
  const paths = messagePaths(api, workspace, service.makeId())
  assert.equal((await open(api, paths.pixel)).status, 200)
  await assertPlainPage(await open(api, paths.link(0)), 'a message that is not there')
})
