/**
 * When a contact last received, opened and clicked is the same from the details of campaigns, from
 * the stored dates, and after the details expired
 * (docs/decisions/0068-dates-of-engagement.md).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeEngagementDates } from '../../../src/core/campaigns/store-engagement-dates.ts'
import { eraseContact } from '../../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../../src/database/client/sql.ts'
import {
  engagementDate,
  engagementDates,
  joinEngagement,
  undatedCampaigns,
  type DatedEngagement,
  type EngagementDates,
} from '../../../src/db/audience/engagement-dates.ts'
import { addTrackingRoutes } from '../../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import { startApi } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'
import {
  filter,
  gmailRelay,
  open,
  sentCampaign,
  type SentCampaign,
  type SentOptions,
} from '../../support/tracking-world.ts'

const api = await startApi({
  workers: false,
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const { service } = api
const { db } = service
const workspace = await api.workspace('dates')
const never = new AbortController().signal
const none = { receivedAt: null, openedAt: null, openedDirectlyAt: null, clickedAt: null }

/** Completed two hours ago, unless its mails left later. */
async function completed(options: SentOptions = {}): Promise<SentCampaign> {
  const campaign = await sentCampaign(api, workspace, { secondsAgo: 3 * 3600, ...options })
  await api.run(
    `update campaign set completed_at = facteur_now() - interval '2 hours' where id = '${campaign.id}'`,
  )
  return campaign
}

/** The dates of each contact by the join of sets, which must be those by contact. */
async function datesOf({ contacts }: SentCampaign, of = workspace.id): Promise<EngagementDates[]> {
  const campaigns = await undatedCampaigns(db, of)
  const dateOf = (kind: DatedEngagement) => engagementDate(kind, campaigns)
  const rows = await db.rows<EngagementDates & { id: string }>(sql`
    select s.id, ${dateOf('received')} as received_at, ${dateOf('opened')} as opened_at,
      ${dateOf('openedDirectly')} as opened_directly_at, ${dateOf('clicked')} as clicked_at
    from subscriber s ${joinEngagement(of, campaigns)}
    where s.workspace_id = ${workspace.id} and s.id = any (${contacts}::uuid[])
    order by s.id`)
  const dates: EngagementDates[] = []
  for (const { id, ...row } of rows) {
    if (of === workspace.id) assert.deepEqual(await engagementDates(db, of, id), row)
    dates.push(row)
  }
  return dates
}

const stored = ({ contacts }: SentCampaign) =>
  db.column<string>(sql`
    select subscriber_id from subscriber_engagement
    where workspace_id = ${workspace.id} and subscriber_id = any (${contacts}::uuid[]) order by 1`)

const store = () => storeEngagementDates(db, workspace.id, never)

const expireDetails = ({ id }: SentCampaign) =>
  api.run(
    `delete from engagement where campaign_id = '${id}'; delete from campaign_recipient where campaign_id = '${id}'`,
  )

/** Default limits begin a week after the upgrade: so long from now. */
const upgraded = (left: string) =>
  api.run(`
    insert into installation (master_key_fingerprint, created_at, retention_from)
    values ('x', facteur_now(), facteur_now() + interval '${left}')
    on conflict (only_row) do update set retention_from = excluded.retention_from`)

const moments = (dates: EngagementDates[]): boolean[][] =>
  dates.map(({ receivedAt, openedAt, openedDirectlyAt, clickedAt }) =>
    [receivedAt, openedAt, openedDirectlyAt, clickedAt].map((at) => at !== null),
  )

test('the dates are those of the details, before they are stored, then, and when the details are gone', async () => {
  const campaign = await completed({ contacts: 5 })
  await open(api, campaign.pixel(0))
  await open(api, campaign.pixel(1), gmailRelay)
  await open(api, campaign.link(2, 1))
  await open(api, campaign.link(3, 0), filter)
  // As a process of the previous version records them: without dates.
  await api.run(
    `delete from subscriber_engagement where subscriber_id = any ('{${campaign.contacts.join()}}')`,
  )
  const fromDetails = await datesOf(campaign)
  assert.deepEqual(moments(fromDetails), [
    [true, true, true, false],
    [true, true, false, false],
    [true, true, true, true],
    [true, false, false, false],
    [true, false, false, false],
  ])
  assert.deepEqual(await stored(campaign), [])
  await cleanUp(service, never)
  assert.equal((await stored(campaign)).length, 5)
  assert.deepEqual(await datesOf(campaign), fromDetails)
  await expireDetails(campaign)
  assert.deepEqual(await datesOf(campaign), fromDetails)
})

test('an open after the dates were stored moves them on, and an older one never back', async () => {
  const campaign = await completed()
  await store()
  const [first] = await datesOf(campaign)
  assert.partialDeepStrictEqual(first, { openedAt: null })
  await open(api, campaign.pixel(0))
  const [second] = await datesOf(campaign)
  assert.ok(second?.openedAt && second.openedDirectlyAt)
  await open(api, campaign.link(0, 0), gmailRelay)
  await open(api, campaign.pixel(0), gmailRelay)
  const [third] = await datesOf(campaign)
  assert.ok(third?.openedAt && third.openedAt > second.openedAt)
  assert.deepEqual(third.openedDirectlyAt, second.openedDirectlyAt)
  await expireDetails(campaign)
  assert.deepEqual((await datesOf(campaign))[0], third)
  const older = await completed({ secondsAgo: 90 * 24 * 3600 })
  await api.run(
    `update campaign_recipient set subscriber_id = '${campaign.contacts[0]}' where campaign_id = '${older.id}' and subscriber_id = '${older.contacts[0]}'`,
  )
  await store()
  assert.deepEqual((await datesOf(campaign))[0], third)
})

test('a campaign that goes on after its dates were stored is asked again until they are', async () => {
  const campaign = await completed({ row: { state: 'settled', status: 'failed' } })
  await store()
  assert.deepEqual(await datesOf(campaign), [none, none, none])
  await api.run(`
    update campaign_recipient set state = 'settled', status = 'sent', sent_at = facteur_now()
    where campaign_id = '${campaign.id}' and subscriber_id = '${campaign.contacts[1]}';
    update campaign_run set sent = 1, failed = 2 where campaign_id = '${campaign.id}'`)
  const expected = [false, true, false]
  const received = async () =>
    (await datesOf(campaign)).map(({ receivedAt }) => receivedAt !== null)
  assert.deepEqual(await received(), expected)
  await store()
  await expireDetails(campaign)
  assert.deepEqual(await received(), expected)
})

test('a scanner that is found out leaves no date behind', async () => {
  const links = Array.from({ length: 6 }, (_, n) => `https://example.com/${n}`)
  const campaign = await sentCampaign(api, workspace, { links, secondsAgo: 0 })
  for (const link of [0, 1, 2]) await open(api, campaign.link(0, link))
  assert.equal((await datesOf(campaign))[0]?.clickedAt === null, false)
  await open(api, campaign.link(0, 3))
  assert.partialDeepStrictEqual((await datesOf(campaign))[0], { openedAt: null, clickedAt: null })
  await store()
  assert.deepEqual(await stored(campaign), [], 'nothing is stored within the first hour')
})

test('an erased contact has no dates, not even from details that stay', async () => {
  const campaign = await completed()
  await store()
  const [id = ''] = campaign.contacts
  const email = await db.onlyValue<string>(sql`
    select email from subscriber where workspace_id = ${workspace.id} and id = ${id}`)
  await eraseContact(service, { workspaceId: workspace.id, email })
  assert.equal((await stored(campaign)).includes(id), false)
  await open(api, campaign.pixel(0))
  await api.run(`update campaign set receipts_stored = null where id = '${campaign.id}'`)
  await store()
  assert.deepEqual(await stored(campaign), campaign.contacts.slice(1))
})

test('dates that an erasure by a process of the previous version left are deleted with the next campaign', async () => {
  const campaign = await completed()
  const [id = '', ...others] = campaign.contacts
  await api.run(`
    insert into subscriber_engagement (workspace_id, subscriber_id, received_at)
    values (${workspace.id}, gen_random_uuid(), facteur_now());
    delete from subscriber where id = '${id}'`)
  await store()
  assert.deepEqual(await stored(campaign), others)
  const orphans = await db.onlyValue<number>(sql`
    select count(*) from subscriber_engagement e where not exists (select from subscriber where id = e.subscriber_id)`)
  assert.equal(orphans, 0)
})

test('in the first day after an upgrade the details are asked, and nothing is stored', async () => {
  const campaign = await completed()
  await upgraded('145 hours')
  await store()
  assert.deepEqual(await stored(campaign), [])
  assert.equal((await datesOf(campaign))[0]?.receivedAt === null, false)
  await upgraded('143 hours')
  await store()
  assert.equal((await stored(campaign)).length, 3)
})

test('another workspace has no dates of these contacts', async () => {
  const other = await api.workspace('other dates')
  const campaign = await completed()
  await store()
  assert.deepEqual(await datesOf(campaign, other.id), [none, none, none])
})

test('the page and the export of a contact say when they last received, opened and clicked', async () => {
  const key = workspace.key
  const campaign = await completed()
  await open(api, campaign.link(0, 0), gmailRelay)
  const [dates] = await datesOf(campaign)
  const answer = await ask(
    api.baseUrl,
    `GET /api/v1/subscribers/p1.${campaign.id}@example.com/export`,
    {
      key,
    },
  )
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.partialDeepStrictEqual(answer.body, {
    last_engagement: {
      received_at: dates?.receivedAt?.toISOString(),
      opened_at: dates?.openedAt?.toISOString() ?? null,
      opened_directly_at: dates?.openedDirectlyAt?.toISOString() ?? null,
      clicked_at: dates?.clickedAt?.toISOString() ?? null,
    },
  })
})
