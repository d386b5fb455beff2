/** Each recipient of a campaign is listed with its status. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign, type FreezeOptions } from '../../../src/core/campaigns/freeze-campaign.ts'
import { eachRecipient } from '../../../src/core/campaigns/each-recipient.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { addSubscribers, campaignRow, draftOf } from '../../support/campaign-world.ts'
import { startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const warnings: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, message: string) => void warnings.push(message),
  error: (fields: object, message: string) => console.error(message, fields),
}
const world = await startRelayWorld({ workers: true, log })
const { service } = world

async function start(
  shop: TestWorkspace,
  contacts: number,
  options: Partial<FreezeOptions> = {},
): Promise<string> {
  await addSubscribers(world, shop, contacts, shop.domain)
  const id = await draftOf(world, shop)
  await freezeCampaign(service, {
    workspaceId: shop.id,
    id,
    from: 'draft',
    undoSeconds: 0,
    canary: null,
    ...options,
  })
  return id
}

test('each recipient is listed with its status and reason, filtered, over pages', async () => {
  const shop = await world.workspace('listed')
  world.answer(({ phase, line }) =>
    phase === 'rcpt' && line.includes('person7@') ? '554 5.7.1 no' : undefined,
  )
  const id = await start(shop, 4500)
  // So many take long on a busy machine.
  await until(
    () => campaignRow(world, shop, id),
    ({ status }) => status === 'sent',
    600_000,
  )
  const of = async (filter: 'failed' | 'sent' | null): Promise<string[]> => {
    const entries = await Array.fromAsync(
      eachRecipient(service, { workspaceId: shop.id, id, filter }),
    )
    return entries.flat().map(({ email, reason }) => `${email} ${reason ?? ''}`)
  }
  assert.deepEqual(await of('failed'), [`person7@${shop.domain} 554 5.7.1 no`])
  assert.equal((await of('sent')).length, 4499)
  assert.equal(new Set(await of(null)).size, 4500)
})
