/**
 * Each mail that a provider takes counts towards the volume of its organisation: single mails and
 * campaigns, of all workspaces.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import type { OpenService } from '../../../src/main/create-service.ts'
import { addSubscribers, campaignRow, draftOf, send } from '../../support/campaign-world.ts'
import { accepted, post, startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld({ workers: true })
const { senderVolumes, db } = world.service as OpenService

async function volumes(): Promise<object[]> {
  await senderVolumes.flush()
  return db.rows(
    sql`select organization, receiver, mails::int, highest_mails::int as highest from sender_volume order by organization, receiver`,
  )
}

test('single mails and campaigns of two workspaces add up; refused mails and other mailboxes do not count', async () => {
  const shop = await world.workspace('shop')
  const other = await world.workspace('other')
  await shop.addDomain('news.acme.test')
  await other.addDomain('acme.test')
  await accepted(world, shop, {
    from: 'hello@news.acme.test',
    to: ['a@gmail.com', 'b@example.com', 'c@hotmail.fr'],
  })
  await accepted(world, other, { from: 'hello@acme.test', to: 'a@googlemail.com' })
  await addSubscribers(world, shop, 3, 'gmail.com')
  const id = await draftOf(world, shop)
  assert.equal((await send(world, shop, id)).status, 202)
  await until(
    () => campaignRow(world, shop, id),
    ({ status }) => status === 'sent',
  )
  const result = await until(volumes, (rows) => rows.length === 3)
  assert.deepEqual(result, [
    { organization: 'acme.test', receiver: 'gmail', mails: 2, highest: 2 },
    { organization: 'acme.test', receiver: 'microsoft', mails: 1, highest: 1 },
    { organization: 'shop.test', receiver: 'gmail', mails: 3, highest: 3 },
  ])
  world.answer((moment) => (moment.phase === 'rcpt' ? '550 5.7.1 no' : undefined))
  assert.equal(
    (await post(world, other, { from: 'hello@acme.test', to: 'd@gmail.com' })).status,
    502,
  )
  world.answer(undefined)
  assert.deepEqual(await volumes(), result)
})
