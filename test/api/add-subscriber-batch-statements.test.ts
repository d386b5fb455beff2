/** `POST /subscribers/batch`: what a batch costs the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { callCounts } from '../support/call-counts.ts'

// Without workers, whose statements would be counted too.
const quiet = await startApi({ workers: false })
const contacts = (prefix: string, count: number, more: object) =>
  Array.from({ length: count }, (_, n) => ({ email: `${prefix}${n}@example.com`, ...more }))

test('200: a thousand contacts take few statements, whatever their number', async () => {
  const large = await quiet.workspace('large', { ratePerMinute: 5_000 })
  const statements = async (prefix: string, count: number): Promise<number> => {
    const counts = await callCounts(async () => {
      const answer = await ask(quiet.baseUrl, 'POST /api/v1/subscribers/batch', {
        key: large.key,
        body: contacts(prefix, count, {
          firstName: 'A',
          tags: ['moved'],
          fields: { city: 'Lyon' },
        }),
      })
      assertAnswered(answer, 200, { created: count, confirmations: { sent: count } })
    })
    return counts.get('sql.ts sql') ?? 0
  }
  await statements('warm', 1)
  const [few, many] = [await statements('few', 10), await statements('thousand', 1_000)]
  // The rate is counted in groups of 512.
  assert.ok(few > 5 && many <= few + 5, `${few} statements for 10, ${many} for 1,000`)
})
