/**
 * The eleventh story: two reminders are to leave tomorrow. One is moved by a day, the other is not
 * needed any more.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { openStory } from '../support/story.ts'

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

test('a scheduled mail is moved, and another cancelled', async (t) => {
  const story = await openStory(t)
  const ids = { ada: '', bob: '' }
  const arrived = async (): Promise<string[]> => {
    const { data } = (await story.operator.json(['captured', 'list', '--workspace', 'demo'])) as {
      data: { recipient: string }[]
    }
    return data.map(({ recipient }) => recipient)
  }

  await t.test('1. The shop schedules a reminder for Ada and one for Bob: tomorrow.', async () => {
    for (const name of ['ada', 'bob'] as const) {
      const answer = await story.write(`${name}@example.com`, { scheduled_at: inHours(24) })
      assertAnswered(answer, 202)
      ids[name] = textAt(answer, 'id')
    }
    assertAnswered(await story.call('GET /me'), 200, { quota: { used: 2 } })
  })

  await t.test('2. Ada’s appointment is a day later, and so is her reminder.', async () => {
    assertAnswered(await story.call(`PATCH /emails/${ids.ada}`, { scheduled_at: inHours(48) }), 200)
  })

  await t.test(
    '3. Bob does not come: his reminder is cancelled, and counts in no quota.',
    async () => {
      assertAnswered(await story.call(`POST /emails/${ids.bob}/cancel`), 200)
      assertAnswered(await story.call('GET /me'), 200, { quota: { used: 1 } })
    },
  )

  await t.test('4. Tomorrow passes: what is due leaves, and neither reminder does.', async () => {
    await story.moveClock('25 hours')
    assertAnswered(await story.write('cy@example.com'), 202)
    await story.mails('cy@example.com')
    assert.deepEqual(await arrived(), ['cy@example.com'])
  })

  await t.test('5. The day after, Ada has hers, and it cannot be moved any more.', async () => {
    await story.moveClock('49 hours')
    assert.equal((await story.mails('ada@example.com')).length, 1)
    assertRefused(
      await story.call(`PATCH /emails/${ids.ada}`, { scheduled_at: inHours(72) }),
      'conflict',
    )
  })

  await t.test('6. Bob has none, and the log says that his was cancelled.', async () => {
    assert.deepEqual((await arrived()).toSorted(), ['ada@example.com', 'cy@example.com'])
    assertAnswered(await story.call(`GET /emails/${ids.bob}`), 200, {
      status: 'failed',
      last_event: 'canceled',
    })
  })
})
