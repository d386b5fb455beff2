/** The events of one recipient stand in the order in which they happened (spec: E-mails). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timelineOf } from '../../../src/core/messages/timeline.ts'

test("of one second, a complaint follows the delivery, whatever the provider's dates", () => {
  const at = (milliseconds: number): Date => new Date(Date.UTC(2026, 0, 1, 12, 0, 0, milliseconds))
  const story = {
    ...{
      acceptedAt: at(1),
      scheduledAt: null,
      canceledAt: null,
      status: 'complained',
      state: 'settled',
      error: null,
    },
    ...{
      response: null,
      attempts: 1,
      nextAt: null,
      sentAt: at(2),
      deliveredAt: at(900),
      deliveredBy: 'feedback',
    },
    ...{ settledAt: null, unsubscribedAt: null, deferrals: [], engagements: [] },
    feedback: [{ kind: 'complained', detail: null, at: at(100) }],
  } as unknown as Parameters<typeof timelineOf>[0]
  assert.deepEqual(
    timelineOf(story).map(({ what }) => what),
    ['accepted', 'sent', 'delivered', 'complained'],
  )
})
