/** A notice that a mail host keeps trying is an event while the mail is on its way (RFC 3464 2.3.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { ask, assertAnswered } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { handedOver, startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()

test('email.delivery_delayed once for each notice; none after the mail arrived, and none of it in another workspace', async () => {
  const [shop, other] = [await world.workspace('shop'), await world.workspace('other')]
  for (const { key } of [shop, other]) {
    const body = { url: 'http://127.0.0.1:9/', events: ['email.delivery_delayed'] }
    assertAnswered(await ask(world.baseUrl, 'POST /api/v1/webhooks', { key, body }), 201)
  }
  const id = await handedOver(world, shop)
  const notice = { source: 'dsn', target: { messageId: id, position: 0 }, at: null } as const
  const delayed = { ...notice, kind: 'delayed', detail: '4.4.1 still trying' } as const
  const record = (workspaceId: number, feedback: Feedback) =>
    recordFeedback(world.service, { workspaceId, feedback: [feedback] })
  await record(shop.id, { ...delayed, sourceId: 'a' })
  await record(shop.id, { ...delayed, sourceId: 'a' })
  await record(other.id, { ...delayed, sourceId: 'a' })
  await record(shop.id, { ...notice, kind: 'delivered', sourceId: 'b', detail: null })
  await record(shop.id, { ...delayed, sourceId: 'c' })
  const rows = await world.service.db.rows<{ workspaceId: number; body: string }>(sql`
    select workspace_id, body from event order by place`)
  assert.deepEqual(
    rows.map(({ workspaceId, body }) => [workspaceId, at(JSON.parse(body), 'data', 'error')]),
    [[shop.id, '4.4.1 still trying']],
  )
})
