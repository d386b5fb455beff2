/**
 * A list is frozen by one snapshot: a campaign that begins while its audience is read counts, and so
 * does one whose list is frozen at the same time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { makeTags } from '../../../src/db/audience/subscriber-fields.ts'
import { startApi } from '../../support/api.ts'
import { callVerb } from '../../support/call-verb.ts'
import { addSubscribers, draftOf, recipientsOf, untilSent } from '../../support/campaign-world.ts'
import { until } from '../../support/until.ts'

const api = await startApi()
const { service } = api
const { db } = service

const start = (workspaceId: number, id: string, failpoints: unknown = null) =>
  freezeCampaign(
    { ...service, failpoints: failpoints as never },
    { workspaceId, id, from: 'draft', undoSeconds: 0, canary: null },
  )

async function segmentOf(workspaceId: number, definition: object): Promise<string> {
  const id = service.makeId()
  await db.count(sql`
    insert into segment (workspace_id, id, name, definition, created_at, updated_at)
    values (${workspaceId}, ${id}, 'Some', ${JSON.stringify(definition)}::jsonb, facteur_now(), facteur_now())`)
  return id
}

const whoReceived = { except: [{ received: { within_days: 7 } }] }

const audiences = {
  'an exclusion of who received one': () => Promise.resolve(whoReceived),
  'a segment of who never received one': async (workspaceId: number) => ({
    to: { segment: await segmentOf(workspaceId, { received: { never: true } }) },
  }),
}

for (const [name, audienceOf] of Object.entries(audiences))
  test(`${name}: a campaign that is sent while the list is frozen counts`, async () => {
    const shop = await api.workspace(name)
    await addSubscribers(api, shop, 20)
    await makeTags(db, shop.id, ['meanwhile'])
    await db.count(sql`
      update subscriber set tags = '{meanwhile}'
      where workspace_id = ${shop.id} and id in (
        select id from subscriber where workspace_id = ${shop.id} order by email limit 5)`)
    const choose = (id: string, body: object) =>
      callVerb(service, shop.id, 'setCampaignAudience', { params: { id }, body })
    const [id, meanwhile] = [await draftOf(api, shop), await draftOf(api, shop)]
    await choose(meanwhile, { to: { tags: ['meanwhile'] } })
    await choose(id, await audienceOf(shop.id))
    const hit = async (position: string): Promise<void> => {
      if (position !== 'freeze.before_insert') return
      await start(shop.id, meanwhile)
      await untilSent(api, shop, meanwhile)
    }
    assert.equal(await start(shop.id, id, { hit, broken: () => false }), 15)
    assert.equal((await recipientsOf(api, shop, id)).length, 15)
  })

for (const [name, first] of Object.entries({
  'of two that leave out who received one': whoReceived,
  'beside one that leaves out nobody': null,
}))
  test(`two lists that are frozen at once, ${name}: nobody is on both`, async () => {
    const shop = await api.workspace(name)
    await addSubscribers(api, shop, 20)
    await makeTags(db, shop.id, ['few'])
    await db.count(sql`
      update subscriber set tags = '{few}'
      where workspace_id = ${shop.id} and id in (
        select id from subscriber where workspace_id = ${shop.id} order by email limit 5)`)
    const [id, other] = [await draftOf(api, shop), await draftOf(api, shop)]
    const choose = (chosen: string, body: object) =>
      callVerb(service, shop.id, 'setCampaignAudience', { params: { id: chosen }, body })
    await choose(id, { to: { tags: ['few'] }, ...first })
    await choose(other, whoReceived)
    const atOnce: { freeze?: Promise<number> } = {}
    const hit = async (position: string): Promise<void> => {
      if (position !== 'freeze.after_insert') return
      let hasEnded = false
      atOnce.freeze = start(shop.id, other).finally(() => (hasEnded = true))
      await until(
        async () => hasEnded || (await waitsForLock()),
        (isOver) => isOver,
      )
    }
    assert.equal(await start(shop.id, id, { hit, broken: () => false }), 5)
    assert.equal(await atOnce.freeze, 15)
  })

const waitsForLock = (): Promise<boolean> =>
  db.onlyValue<boolean>(sql`
    select count(*) > 0 as waits from pg_locks where locktype = 'advisory' and not granted`)
