/**
 * While single mails are sent, campaigns take small steps with rests between, so that single mail
 * waits for little.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openBatchSender } from '../../src/core/campaigns/open-batch-sender.ts'
import type { Service } from '../../src/core/context.ts'
import { singlesMs } from '../../src/core/sending/hand-off.ts'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import { createService } from '../../src/main/create-service.ts'
import { startApi } from '../support/api.ts'
import {
  addSubscribers,
  draftOf,
  recipientsOf,
  send,
  untilSent,
} from '../support/campaign-world.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'
import { until } from '../support/until.ts'

const api = await startApi({ workers: false })

const markSingle = ({ clock, sending }: Service): void =>
  void (sending.singles.untilMs = clock.monotonicMs() + singlesMs)
const isBusy = ({ clock, sending }: Service): boolean =>
  clock.monotonicMs() < sending.singles.untilMs

test('a step of all campaigns claims at most sixteen recipients while single mails are sent, and more without them', async () => {
  assert.ok(Math.max(...(await claimsOf('quiet', () => undefined))) > 16)
  assert.equal(Math.max(...(await claimsOf('busy', () => markSingle(api.service)))), 16)
})

/** How many recipients each step of a campaign to fifty asks the database for. */
async function claimsOf(name: string, beforeEach: () => void): Promise<number[]> {
  const shop = await api.workspace(name)
  await addSubscribers(api, shop, 50)
  const id = await draftOf(api, shop)
  const claims: number[] = []
  const openCounted: Service['sending']['openBatchSender'] = (options) =>
    api.service.sending.openBatchSender({
      ...options,
      slots: {
        async take(expected) {
          beforeEach()
          claims.push(await options.slots.take(expected))
          return claims.at(-1) ?? 0
        },
        release: options.slots.release,
      },
    })
  const workers = startWorkers({
    ...api.service,
    sending: { ...api.service.sending, openBatchSender: openCounted },
  })
  await send(api, shop, id)
  await untilSent(api, shop, id)
  await workers.stop(5_000)
  return claims
}

test('while single mails are sent, a step begins ten milliseconds after the one before, although all its mails have left', async () => {
  const clock = createFrozenClock()
  let steps = 0
  const hit = (name: string): undefined => {
    if (name === 'campaign.before_record') steps++
  }
  const service = createService({ ...api.service, clock, failpoints: { hit, broken: () => false } })
  after(() => service.stop())
  const shop = await api.workspace('rests')
  await addSubscribers(api, shop, 4)
  const id = await draftOf(api, shop)
  await send(api, shop, id)
  const statuses = async () => (await recipientsOf(api, shop, id)).map(({ status }) => status)
  let started = 0
  const slots = {
    take: (expected: number) => Promise.resolve(expected),
    release: (_: number, of: number) => void (started += of),
  }
  markSingle(service)
  const sender = await openBatchSender(service, {
    campaign: { workspaceId: shop.id, campaignId: id },
    slots,
  })
  assert.ok(sender)
  sender.setShare(4)
  await until(() => started === 4 && sender.underWay === 0)
  assert.deepEqual(await statuses(), ['queued', 'queued', 'queued', 'queued'])
  assert.equal(steps, 1)
  clock.advance(10)
  await until(statuses, (all) => all.every((status) => status === 'sent'))
  let hasEnded = false
  void sender.ended.then(() => (hasEnded = true))
  await until(() => {
    clock.advance(10)
    return hasEnded
  })
})

for (const hint of ['transactional', 'single'] as const)
  test(`calls that another process takes count as single mails: its hint ${hint} says so`, async () => {
    const service = createService(api.service)
    after(() => service.stop())
    const workers = startWorkers(service)
    assert.equal(isBusy(service), false)
    workers.wake(hint)
    assert.equal(isBusy(service), true)
    await workers.stop(5_000)
  })
