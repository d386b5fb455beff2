/** Sending a campaign: one of many calls wins, the list is frozen as it is then, refusals come in the specified order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/connect.ts'
import { startApi } from '../support/api.ts'
import { ask } from '../support/ask.ts'
import { addSubscribers, campaignRow, draftOf, recipientsOf, send, untilSent } from './campaign-world.ts'

const api = await startApi()
const idle = await startApi({ workers: false })

test('202 with the true number, and everybody frozen receives one mail', async () => {
  const shop = await api.workspace('shop')
  await addSubscribers(api, shop, 300)
  await shop.suppress('person7@example.com', 'manual')
  const id = await draftOf(api, shop)
  const answer = await send(api, shop, id)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  assert.deepEqual({ ...(answer.body as object), note: '' }, { id, object: 'campaign', status: 'sending', queued: 299, note: '' })
  await untilSent(api, shop, id)
  const row = await campaignRow(api, shop, id)
  assert.equal(row.sent, 299)
  const mails = await api.service.db.rows<{ recipient: string }>(sql`
    select recipient from captured_mail where workspace_id = ${shop.id} and campaign_id = ${id}`)
  assert.equal(new Set(mails.map(({ recipient }) => recipient)).size, 299)
  assert.equal(mails.length, 299)
})
