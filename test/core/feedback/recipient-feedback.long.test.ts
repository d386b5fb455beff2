/** All feedback in any order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { handedOver, ledgerRow, startRelayWorld } from '../../support/relay-world.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { newsFrom } from '../../support/feedback.ts'

const world = await startRelayWorld()
const { service } = world
const home = await world.workspace('feedback')

type Kind = 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
const kinds: Kind[] = ['sent', 'delivered', 'bounced', 'complained', 'failed']
/** Least advanced first. */
const order = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained']
const furthest = (statuses: string[]): string =>
  statuses.toSorted((a, b) => order.indexOf(b) - order.indexOf(a))[0] ?? 'queued'

const news = (messageId: string, kind: Feedback['kind'], position = 0): Feedback =>
  newsFrom({ messageId, position }, kind)

const report = async (workspace: TestWorkspace, ...rows: Feedback[]) =>
  (await recordFeedback(service, { workspaceId: workspace.id, feedback: rows })).changes

test('the status is the furthest of all feedback, in any order and repetition', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(fc.record({ kind: fc.constantFrom(...kinds), again: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
        }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      async (batches) => {
        await home.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
        const id = await handedOver(world, home, { to: 'many-news@example.com' })
        await world.run(`delete from suppression where email = 'many-news@example.com'`)
        const all: Feedback[] = []
        let expected = 'sent'
        for (const batch of batches) {
          const rows = batch.map(({ kind, again }) =>
            again && all.length > 0 ? (all[0] ?? news(id, kind)) : news(id, kind),
          )
          all.push(...rows)
          await report(home, ...rows)
          expected = furthest([expected, ...rows.map((row) => row.kind)])
          const row = await ledgerRow(world, home, id)
          assert.equal(row.status, expected)
          assert.equal(
            row.error,
            ['bounced', 'complained', 'failed'].includes(expected) ? `because ${expected}` : null,
          )
        }
        await world.run(`delete from suppression where email = 'many-news@example.com'`)
      },
    ),
    { numRuns: 40 },
  )
})
