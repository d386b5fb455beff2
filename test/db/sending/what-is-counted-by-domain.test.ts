/**
 * What is counted of a domain: refusals that name their cause, sessions whose encryption failed, and
 * the mail of a day while it is warmed up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  countMessageRefusals,
  countNamedOfCampaign,
  refusalsOfDomain,
  topRefusals,
} from '../../../src/db/sending/refusal-counts.ts'
import { storeTlsResults, tlsFailures } from '../../../src/db/sending/tls-results.ts'
import {
  endWarmUp,
  markWarmed,
  startWarmUp,
  takeFromWarmUp,
  warmUpOf,
} from '../../../src/db/sending/warm-ups.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { accepted, startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { db } = world.service
const [workspace, other] = [await world.workspace('sender'), await world.workspace('other')]
const later = { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }
const key = { workspaceId: workspace.id, domain: workspace.domain }

async function sentCampaign(of: typeof workspace): Promise<string> {
  await addSubscribers(world, of, 2)
  const id = await draftOf(world, of)
  assert.equal((await send(world, of, id)).status, 202)
  return id
}

test('refusals count at the domain of the sender, a notice of ours and another workspace’s mail do not', async () => {
  const [messageId, notice] = [
    await accepted(world, workspace, later),
    await accepted(world, workspace, later),
  ]
  await world.run(`update message set notice = true where id = '${notice}'`)
  const refused = { cause: 'gmail_rate', address: null }
  await countMessageRefusals(db, workspace.id, [
    ...[1, 2].map(() => ({ ...refused, messageId })),
    { ...refused, messageId: notice },
  ])
  await countMessageRefusals(db, other.id, [{ ...refused, messageId }])
  const campaignId = await sentCampaign(workspace)
  const listed = { cause: 'spamhaus', address: '192.0.2.7' }
  await countNamedOfCampaign(db, { workspaceId: workspace.id, campaignId }, [listed, refused])
  await countNamedOfCampaign(db, { workspaceId: other.id, campaignId }, [listed])
  const expected = [
    { cause: 'gmail_rate', refusals: 3, address: null },
    { cause: 'spamhaus', refusals: 1, address: '192.0.2.7' },
  ]
  const strip = ({ cause, refusals, address }: (typeof expected)[number]) => ({
    ...{ cause, refusals, address },
  })
  assert.deepEqual(
    (await refusalsOfDomain(db, workspace.id, workspace.domain)).map(strip),
    expected,
  )
  const top = await topRefusals(db, 10)
  assert.deepEqual(top.map(strip), expected, 'the most frequent first')
  assert.ok(top.every(({ domain, slug }) => domain === workspace.domain && slug === 'sender'))
  assert.equal((await topRefusals(db, 1)).length, 1)
  await world.moveClock('49 hours')
  assert.deepEqual(await topRefusals(db, 10), [], 'the day before yesterday is left out')
  await world.moveClock('0 seconds')
})

test('sessions add up by domain and result, and those that failed are named', async () => {
  const result = (domain: string, outcome: string, sessions: number) => ({
    ...{ domain, policy: 'sts', result: outcome, sessions },
  })
  await storeTlsResults(db, [
    result('a.example', 'certificate-expired', 1),
    result('b.example', 'success', 9),
    result('b.example', 'validation-failure', 3),
  ])
  await storeTlsResults(db, [result('a.example', 'certificate-expired', 4)])
  assert.deepEqual(await tlsFailures(db, 10), [
    result('a.example', 'certificate-expired', 5),
    result('b.example', 'validation-failure', 3),
  ])
})

test('a day of a warm-up has its number: campaigns take their share of it, and what left counts first', async () => {
  const plan = { firstDay: 10, growth: 2, finishAt: 40 }
  assert.equal(await startWarmUp(db, { ...key, domain: 'unknown.example' }, plan), false)
  assert.equal(await startWarmUp(db, { ...key, workspaceId: other.id }, plan), false)
  assert.equal(await startWarmUp(db, key, plan), true)
  const take = async (count: number, counted = 0) =>
    (await takeFromWarmUp(db, key, { count, counted, share: 0.8 }))?.granted
  assert.equal(await take(5), 5)
  assert.equal(await take(5, 1), 2, 'eight are for campaigns, six are used')
  assert.equal(await take(5), 0)
  assert.equal(await take(5, -2), 2, 'two did not leave after all')
  assert.partialDeepStrictEqual(await warmUpOf(db, key), { day: 0, allowance: 10, used: 8 })
  await world.moveClock('24 hours')
  assert.equal(await take(100), 16)
  await world.moveClock('48 hours')
  assert.equal(await take(100), 100, 'the last day holds nothing back')
  await world.moveClock('0 seconds')
  assert.equal(await endWarmUp(db, key), true)
  assert.equal(await endWarmUp(db, key), false)
  assert.equal(await take(1), undefined)
})

test('a campaign for which nothing was left is marked, and no other', async () => {
  const [marked, second] = [
    await sentCampaign(other),
    await sentCampaign(await world.workspace('third')),
  ]
  await markWarmed(db, other.id, marked)
  await markWarmed(db, other.id, second)
  assert.deepEqual(
    await db.column<string>(sql`select campaign_id from campaign_run where warmed_at is not null`),
    [marked],
  )
})
