/**
 * The eighth story: a workspace has used up its month. It gets a notice, nothing is lost, and on
 * the first of the next month it goes on.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { openStory } from '../support/story.ts'

test('a month’s quota ends, and the next month begins', async (t) => {
  const story = await openStory(t)
  let resetsAt = ''

  await t.test('1. The operator gives the workspace a plan of three mails a month.', async () => {
    await story.operator.text([
      'plan',
      'set',
      '--workspace',
      'demo',
      '--name',
      'small',
      '--monthly',
      '3',
    ])
    const account = await story.call('GET /me')
    assertAnswered(account, 200, {
      plan: { monthly_quota: 3 },
      quota: { limit: 3, remaining: 3, used: 0 },
    })
    resetsAt = textAt(account, 'quota', 'resets_at')
  })

  await t.test(
    '2. Its program writes to two recipients, and then to one: each recipient counts.',
    async () => {
      assertAnswered(await story.write(['ada@example.com', 'bob@example.com']), 202)
      assertAnswered(await story.write('cy@example.com'), 202)
      assertAnswered(await story.call('GET /me'), 200, { quota: { remaining: 0, used: 3 } })
    },
  )

  await t.test(
    '3. The next mail is refused, with the day on which the quota is there again.',
    async () => {
      const refused = await story.write('dan@example.com')
      assertRefused(refused, 'quota_exceeded', {
        limit: 3,
        used: 3,
        remaining: 0,
        needed: 1,
        resets_at: resetsAt,
      })
      assert.match(textAt(refused, 'error', 'message'), /quota/)
    },
  )

  await t.test('4. A campaign is refused as well, and stays a draft.', async () => {
    await story.call('POST /subscribers', { email: 'ada@example.com', double_opt_in: false })
    const draft = await story.call('POST /campaigns', {
      name: 'News',
      subject: 'News',
      text: 'News',
    })
    const path = `/campaigns/${textAt(draft, 'id')}`
    assertRefused(await story.call(`POST ${path}/send`), 'validation_error', {
      reason: 'quota_exceeded',
      needed: 1,
      remaining: 0,
    })
    assertAnswered(await story.call(`GET ${path}`), 200, { status: 'draft' })
  })

  await t.test('5. What was accepted before has arrived.', async () => {
    for (const contact of ['ada', 'bob', 'cy'])
      assert.equal((await story.mails(`${contact}@example.com`)).length, 1)
  })

  await t.test(
    '6. The next month begins: the mail goes out, and the month before is history.',
    async () => {
      const seconds = (Date.parse(resetsAt) - Date.now()) / 1000 + 60
      await story.moveClock(`${seconds} seconds`)
      assertAnswered(await story.write('dan@example.com'), 202)
      assert.equal((await story.mails('dan@example.com')).length, 1)
      const account = await story.call('GET /me')
      assertAnswered(account, 200, { quota: { remaining: 2, used: 1 } })
      assert.ok(Date.parse(String(at(account.body, 'quota', 'resets_at'))) > Date.parse(resetsAt))
    },
  )
})
