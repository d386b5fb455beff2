/**
 * The warm-up of a domain: campaigns get the rest of the day's number, single mail goes, and
 * waiting shortens no mail's queue life.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import {
  endWarmUp,
  startWarmUp,
  warmUpOf,
  type WarmUpRow,
} from '../../../src/db/sending/warm-ups.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  send,
  untilCampaign,
  untilSent,
} from '../../support/campaign-world.ts'
import { handedOver, startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const settings = { retryFirstSeconds: 0.1, retryMaxSeconds: 0.2 }
/**
 * A world for each test: what a process knows of a domain's day, it looks at again after a while of
 * real time.
 */
const start = () => startRelayWorld({ workers: true, settings })
const worlds = {
  grows: await start(),
  life: await start(),
  given: await start(),
  off: await start(),
}
const plan = { firstDay: 10, growth: 2, finishAt: 80 }

async function warmUp(world: Awaited<ReturnType<typeof start>>, name: string) {
  const workspace = await world.workspace(name)
  const key = { workspaceId: workspace.id, domain: workspace.domain }
  assert.equal(await startWarmUp(world.service.db, key, plan), true)
  const query = async (): Promise<WarmUpRow> => {
    const row = await warmUpOf(world.service.db, key)
    assert.ok(row)
    return row
  }
  return { workspace, key, look: query }
}

test('each day has its number: a fifth of it is reserved for single mail, which counts and never waits', async () => {
  const world = worlds.grows
  const { workspace, look: query } = await warmUp(world, 'grows')
  await addSubscribers(world, workspace, 40)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  await untilCampaign(world, workspace, id, ({ sent }) => sent === 8)
  for (let n = 0; n < 4; n++) await handedOver(world, workspace)
  await until(query, ({ used }) => used >= 12)
  assert.partialDeepStrictEqual(await query(), { day: 0, allowance: 10, used: 12, isOver: false })
  assert.equal((await campaignRow(world, workspace, id)).sent, 8)
  assert.equal(world.peer.mails.length, 12)
  await world.moveClock('24 hours')
  assert.partialDeepStrictEqual(await query(), { day: 1, allowance: 20, used: 0 })
  await world.moveClock('72 hours')
  assert.partialDeepStrictEqual(await query(), { day: 3, allowance: 80, isOver: true })
})

test('mail that waits for the next day does not age: five days later, one that is refused for now is tried again', async () => {
  const world = worlds.life
  const { workspace, key } = await warmUp(world, 'life')
  await addSubscribers(world, workspace, 12)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  await untilCampaign(world, workspace, id, ({ sent }) => sent === 8)
  const marked = () =>
    world.service.db.rows(
      sql`select 1 from campaign_run where campaign_id = ${id} and warmed_at is not null`,
    )
  await until(marked, ({ length }) => length > 0)
  await world.run(
    `update campaign_run set warmed_at = warmed_at + interval '5 days' where campaign_id = '${id}'`,
  )
  await world.moveClock('121 hours')
  const refused = new Set<string>()
  await endWarmUp(world.service.db, key)
  await world.run(`update due set next_at = facteur_now() where lane = 'campaign'`)
  const second = await startRelayWorld({ workers: true, settings, database: world.database })
  second.answer(({ phase, line }) => {
    if (phase !== 'rcpt' || refused.has(line)) return undefined
    refused.add(line)
    return '451 4.3.0 later'
  })
  assert.partialDeepStrictEqual(await untilSent(world, workspace, id), { sent: 12, failed: 0 })
  assert.equal(refused.size, 4)
})

test('a campaign of three uses three of the day: unused permits are given back', async () => {
  const world = worlds.given
  const { workspace, look: query } = await warmUp(world, 'given back')
  await addSubscribers(world, workspace, 3)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  await untilSent(world, workspace, id)
  await until(query, ({ used }) => used === 3)
})

test('a domain without a warm-up, or after it, holds nothing back', async () => {
  const world = worlds.off
  const workspace = await world.workspace('off')
  await addSubscribers(world, workspace, 60)
  const id = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, id)).status, 202)
  assert.partialDeepStrictEqual(await untilSent(world, workspace, id), { sent: 60 })
  const { workspace: over, look: query } = await warmUp(world, 'over')
  await world.run(`update warm_up set started_at = started_at - interval '3 days'`)
  assert.equal((await query()).isOver, true)
  await addSubscribers(world, over, 60)
  const second = await draftOf(world, over)
  assert.equal((await send(world, over, second)).status, 202)
  assert.partialDeepStrictEqual(await untilSent(world, over, second), { sent: 60 })
})
