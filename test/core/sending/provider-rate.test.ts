/**
 * The pace that the provider sets: shared by all processes, lowered when it says "slower", and by
 * nothing else (semantics 2).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThrottle } from '../../../src/core/sending/provider-pace.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { handedOver, startBeside, startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const slower: [code: number, response: string][] = [
  [421, '421 4.7.0 Try again later, closing connection'],
  [421, '421 bye'],
  [451, '451 4.3.2 System not accepting network messages'],
  [450, '450 4.7.28 Our system has detected an unusual amount of mail'],
  [454, '454 Throttling failure: Maximum sending rate exceeded'],
  [452, '452 4.7.1 Rate limit exceeded'],
  [451, '451 4.7.1 ratelimited: slow down'],
  [451, '451 4.7.1 Error: too much mail from 192.0.2.1'],
  [450, '450 too many connections from your host'],
  [450, '450 4.7.1 You are sending too fast'],
  [450, '450-4.7.1 message throttled\n450 4.7.1 see the documentation'],
]
for (const [code, response] of slower)
  test(`slower: ${response}`, () => assert.ok(isThrottle({ code, response })))

const unrelated: [code: number | null, response: string][] = [
  [451, '451 4.3.0 The operator is not available'],
  [451, '451 4.7.1 Greylisted, generated at noon'],
  [450, '450 4.2.0 Temperate moderation: illiterate sender'],
  [
    450,
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
  ],
  [452, '452 4.2.2 Mailbox full: too many messages'],
  [450, '450 4.1.1 <rate@example.com>: too many addresses'],
  [450, '450 <throttle@example.com>: Recipient address rejected: greylisted'],
  [450, '450 too-many-rates@example.com is unknown here for now'],
  [451, '451 4.4.1 no route; code 14.3.2'],
  [null, 'connect ECONNREFUSED: too many'],
]
for (const [code, response] of unrelated)
  test(`no matter of pace: ${response}`, () => assert.ok(!isThrottle({ code, response })))

test('a burst over two processes leaves at the rate, and none of it is lost', async () => {
  const rate = 25
  const world = await startRelayWorld({ workers: true, ratePerSecond: rate })
  const other = await startBeside(world, { workers: true, ratePerSecond: rate })
  const workspace = await world.workspace('burst')
  const { db } = world.service
  const [began] = await db.rows<{ at: string }>(sql`select facteur_now()::text as at`)
  const ids = await Promise.all(
    Array.from({ length: 80 }, (_, index) => handedOver(index % 2 ? other : world, workspace)),
  )
  await world.peer.until(() => world.peer.mails.length >= 80)
  const sent = () =>
    db.rows<{ seconds: number }>(sql`
      select extract(epoch from sent_at - ${began?.at ?? ''}::timestamptz)::float8 as seconds from recipient
      where workspace_id = ${workspace.id} and status = 'sent' order by sent_at`)
  const all = await until(sent, ({ length }) => length === 80)
  // One second's worth may leave at once; the rest at the rate, by the clock that all processes
  // share.
  for (const [index, { seconds }] of all.entries())
    assert.ok(seconds >= (index + 1 - rate) / rate - 0.1, `${index + 1} mails in ${seconds} s`)
  assert.equal(new Set(ids).size, 80)
  assert.equal(world.peer.mails.length, 80)
})
