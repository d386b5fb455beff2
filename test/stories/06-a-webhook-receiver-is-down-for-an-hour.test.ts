/**
 * The sixth story: the shop's own service is down for an hour. It has missed nothing, and has
 * nothing to ask for.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, textAt } from '../support/ask.ts'
import { openStory } from '../support/story.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

interface Delivery {
  status: string
  attempts: number
  next_attempt_at: string | null
}

test('a webhook receiver is down for an hour', async (t) => {
  const story = await openStory(t)
  const receiver = await startReceiver()
  let hook = ''
  const deliveries = async (): Promise<Delivery[]> =>
    ((await story.call(`GET /webhooks/${hook}/deliveries`)).body as { data: Delivery[] }).data
  const idsSince = (call: number): string[] =>
    receiver.calls.slice(call).map(({ body }) => (JSON.parse(body) as { id: string }).id)

  await t.test('1. The shop subscribes to each delivery, and gets its events.', async () => {
    hook = textAt(
      await story.call('POST /webhooks', { url: receiver.url, events: ['email.delivered'] }),
      'id',
    )
    assertAnswered(await story.write('ada@example.com'), 202)
    await receiver.received(1)
    await until(deliveries, ([first]) => first?.status === 'delivered')
  })

  await t.test('2. Its service breaks down; two mails are delivered meanwhile.', async () => {
    receiver.answer = (_request, response) => void response.writeHead(503).end('down')
    assertAnswered(await story.write('bob@example.com'), 202)
    assertAnswered(await story.write('cy@example.com'), 202)
    await receiver.received(3)
  })

  await t.test(
    '3. It is called again, and later each time: after half a minute, two minutes, ten minutes.',
    async () => {
      for (const [attempts, offset] of [
        [2, '31 seconds'],
        [3, '3 minutes'],
        [4, '15 minutes'],
      ] as const) {
        await story.moveClock(offset)
        // A call that is under way has no next time yet.
        await until(
          deliveries,
          (list) =>
            list.filter(
              (delivery) => delivery.attempts === attempts && delivery.next_attempt_at !== null,
            ).length === 2,
        )
      }
      const waiting = (await deliveries()).filter(({ status }) => status !== 'delivered')
      assert.equal(waiting.length, 2)
      assert.ok(waiting.every(({ next_attempt_at }) => next_attempt_at !== null))
    },
  )

  await t.test(
    '4. After an hour the service is back. At the next call it has both events.',
    async () => {
      receiver.answer = (_request, response) => void response.end('ok')
      const failed = receiver.calls.length
      await story.moveClock('80 minutes')
      await until(deliveries, (list) => list.every(({ status }) => status === 'delivered'))
      const late = idsSince(failed)
      assert.deepEqual([late.length, new Set(late).size], [2, 2], 'each once')
    },
  )

  await t.test('5. The journal shows the whole hour, attempt by attempt.', async () => {
    const { body } = await story.call(`GET /webhooks/${hook}/deliveries`)
    const journal = (
      body as { data: { attempt_log: { status: string; response_status: number | null }[] }[] }
    ).data
    const reported = journal.map(({ attempt_log }) =>
      attempt_log.map(({ response_status }) => response_status).toSorted(),
    )
    assert.deepEqual(reported, [[200, 503, 503, 503, 503], [200, 503, 503, 503, 503], [200]])
  })
})
