/**
 * A list is frozen by one snapshot: a campaign that begins while its audience is read counts, and
 * one whose list would have to count is refused until the other is frozen.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { makeTags } from '../../../src/db/audience/subscriber-fields.ts'
import { startScheduled } from '../../../src/core/campaigns/start-scheduled.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertRefused } from '../../support/ask.ts'
import { callVerb } from '../../support/call-verb.ts'
import {
  addSubscribers,
  draftOf,
  recipientsOf,
  send,
  untilCampaign,
  untilSent,
} from '../../support/campaign-world.ts'

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

const whoReceivedOrLeft = {
  any: [{ received: { within_days: 7 } }, { status: 'unsubscribed' }],
}
const whoReceived = { except: [{ received: { within_days: 7 } }] }

test('a segment of who never opened one: a campaign that is sent and opened while the list is frozen counts', async () => {
  const shop = await api.workspace('opened')
  const few = await shopWithFew(shop)
  const id = await draftOf(api, shop)
  const segment = await segmentOf(shop.id, { opened: { never: true, by: 'any' } })
  await choose(shop.id, id, { to: { segment } })
  const hit = async (position: string): Promise<void> => {
    if (position !== 'freeze.before_insert') return
    await start(shop.id, few)
    await untilSent(api, shop, few)
    await api.run(`
      insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, visitor, user_agent, at)
      select workspace_id, gen_random_uuid(), campaign_id, subscriber_id, 'open', 'person', '', facteur_now()
      from campaign_recipient where campaign_id = '${few}'`)
  }
  assert.equal(await start(shop.id, id, { hit, broken: () => false }), 15)
  assert.equal((await recipientsOf(api, shop, id)).length, 15)
})

/** The first is under way: the second is refused meanwhile, and leaves out who is on the first. */
const pairs = {
  'of two that leave out who received one': {
    first: whoReceived,
    second: () => Promise.resolve(whoReceived),
  },
  'beside one that leaves out nobody': { first: null, second: () => Promise.resolve(whoReceived) },
  'beside a segment of who never received one': {
    first: null,
    second: async (of: number) => ({
      to: { segment: await segmentOf(of, { received: { never: true } }) },
    }),
  },
  'beside one that leaves out a segment of who received one': {
    first: null,
    second: async (of: number) => ({
      except: [{ segment: await segmentOf(of, whoReceivedOrLeft) }],
    }),
  },
}

for (const [name, { first, second }] of Object.entries(pairs))
  test(`two lists that are frozen at once, ${name}: nobody is on both`, async () => {
    const shop = await api.workspace(name)
    const few = await shopWithFew(shop, first)
    const other = await draftOf(api, shop)
    await choose(shop.id, other, await second(shop.id))
    const hit = async (position: string): Promise<void> => {
      if (position === 'freeze.after_insert')
        await assert.rejects(start(shop.id, other), {
          code: 'conflict',
          details: { id: other, status: 'draft', reason: 'campaign_starting' },
        })
    }
    assert.equal(await start(shop.id, few, { hit, broken: () => false }), 5)
    assert.equal(await start(shop.id, other), 15)
  })

test('many sends beside a list that is being frozen: each is refused at once, and another workspace sends mail', async () => {
  const shop = await api.workspace('crowded')
  const other = await api.workspace('undisturbed')
  const few = await shopWithFew(shop, whoReceived)
  const drafts: string[] = []
  while (drafts.length < 24) drafts.push(await draftOf(api, shop))
  await db.count(sql`
    update campaign set status = 'scheduled', scheduled_at = facteur_now()
    where workspace_id = ${shop.id} and id = ${drafts.at(-1)}`)
  const mail = { from: `hello@${other.domain}`, to: 'a@example.com', subject: 'a', text: 'a' }
  const hit = async (position: string): Promise<void> => {
    if (position !== 'freeze.after_insert') return
    // No one of these answers can wait for the list, which waits for them.
    const answers = drafts.slice(0, -1).map((id) => send(api, shop, id))
    const single = await ask(api.baseUrl, 'POST /api/v1/emails', { key: other.key, body: mail })
    assert.equal(single.status, 202, JSON.stringify(single.body))
    for (const answer of await Promise.all(answers))
      assertRefused(answer, 'conflict', { status: 'draft', reason: 'campaign_starting' })
    await startScheduled(service, { workspaceId: shop.id, id: drafts.at(-1) ?? '' })
  }
  assert.equal(await start(shop.id, few, { hit, broken: () => false }), 5)
  await untilCampaign(api, shop, drafts.at(-1) ?? '', ({ status }) => status === 'sent')
})

const choose = (workspaceId: number, id: string, body: object) =>
  callVerb(service, workspaceId, 'setCampaignAudience', { params: { id }, body })

/** Of 20 contacts, and a draft to 5 of them. */
async function shopWithFew(shop: TestWorkspace, audience: object | null = null): Promise<string> {
  await addSubscribers(api, shop, 20)
  await makeTags(db, shop.id, ['few'])
  await db.count(sql`
    update subscriber set tags = '{few}'
    where workspace_id = ${shop.id} and id in (
      select id from subscriber where workspace_id = ${shop.id} order by email limit 5)`)
  const id = await draftOf(api, shop)
  await choose(shop.id, id, { to: { tags: ['few'] }, ...audience })
  return id
}
