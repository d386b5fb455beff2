/** A scheduled campaign whose audience takes long to read holds up no other workspace's campaign. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { callVerb } from '../support/call-verb.ts'
import { addSubscribers, draftOf, untilSent } from '../support/campaign-world.ts'
import { untilWaits } from '../support/database.ts'
import { ask } from '../support/ask.ts'
import { freezeCampaign } from '../../src/core/campaigns/freeze-campaign.ts'

const api = await startApi({ segmentConnections: 4 })

async function scheduled(shop: TestWorkspace, audience: object | null): Promise<string> {
  const id = await draftOf(api, shop)
  if (audience)
    await callVerb(api.service, shop.id, 'setCampaignAudience', { params: { id }, body: audience })
  await api.run(
    `update campaign set status = 'scheduled', scheduled_at = facteur_now() where id = '${id}';
     insert into due (workspace_id, lane, next_at) values (${shop.id}, 'campaign', facteur_now())
     on conflict (workspace_id, lane) do update set next_at = excluded.next_at`,
  )
  return id
}

test('while the audience of one workspace is read, campaigns of others start and are sent', async () => {
  const [slow, other] = [await api.workspace('slow'), await api.workspace('other')]
  for (const shop of [slow, other]) await addSubscribers(api, shop, 2)
  const notLately = { except: [{ received: { within_days: 7 } }] }
  const slowId = await api.service.db.transaction(async (tx) => {
    await tx.count(sql`lock table subscriber_engagement in access exclusive mode`)
    const id = await scheduled(slow, notLately)
    await untilWaits(api.database.url, 'subscriber_engagement')
    assert.equal((await untilSent(api, other, await scheduled(other, null))).sent, 2)
    return id
  })
  assert.equal((await untilSent(api, slow, slowId)).sent, 2)
})

test('while users send to more slow audiences than there are connections, calls are answered', async () => {
  const caller = await api.workspace('caller')
  const email = { from: `a@${caller.domain}`, to: 'b@example.com', subject: 'Hello', text: 'x' }
  const drafts: { workspaceId: number; id: string }[] = []
  for (let index = 0; index < 12; index++) {
    const shop = await api.workspace(`sender ${index}`)
    await addSubscribers(api, shop, 1)
    const id = await draftOf(api, shop)
    const body = { except: [{ received: { within_days: 7 } }] }
    await callVerb(api.service, shop.id, 'setCampaignAudience', { params: { id }, body })
    drafts.push({ workspaceId: shop.id, id })
  }
  const sends = await api.service.db.transaction(async (tx) => {
    await tx.count(sql`lock table subscriber_engagement in access exclusive mode`)
    const freezing = drafts.map((draft) =>
      freezeCampaign(api.service, { ...draft, from: 'draft', undoSeconds: 0, canary: null }),
    )
    await untilWaits(api.database.url, 'subscriber_engagement')
    const { status } = await ask(api.baseUrl, 'POST /api/v1/emails', {
      ...{ key: caller.key, body: email },
    })
    assert.equal(status, 202)
    return freezing
  })
  assert.deepEqual(await Promise.all(sends), Array(12).fill(1))
})
