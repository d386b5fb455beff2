/** Which connections end when others need their place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConnectionCounts } from '../../src/core/connection-counts.ts'

test('a session whose mail came whole never ends for another: its client would hand it in again', () => {
  let ms = 0
  const counts = createConnectionCounts(
    { monotonicMs: () => ms },
    { connectionsMax: 9, clientsMax: 3 },
  )
  for (const session of ['whole', 'slow', 'other']) {
    counts.open(session, '192.0.2.1')
    counts.markTaking(session, true)
  }
  counts.markWhole('whole')
  assert.deepEqual(counts.open('first', '192.0.2.2'), { ends: ['slow'] })
  ms += 60_000
  assert.deepEqual(counts.endOverdue(), ['other'])
  // After the reply it is idle as any.
  counts.markTaking('whole', false)
  counts.open('second', '192.0.2.1')
  assert.deepEqual(counts.open('third', '192.0.2.3'), { ends: ['whole'] })
})
