/** What the log says while a workspace on its way to another cell refuses changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../../src/ground/clock.ts'
import { gatherMoveRefusals } from '../../src/main/gather-move-refusals.ts'
import { createLog } from '../../src/ground/log.ts'

const refusal = (): Error =>
  Object.assign(new pg.DatabaseError('The workspace 1 moves to another cell', 0, 'error'), {
    code: 'FM001',
  })

test('refusals of a move are one warning a minute with their number; other errors are written as they are', () => {
  const lines: { level: string; refusals?: number; msg: string }[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[number])
  let nowMs = 0
  const clock = { ...systemClock, monotonicMs: () => nowMs }
  const log = gatherMoveRefusals({
    clock,
    log: createLog({ level: 'info', clock, readable: false, write }),
  })
  for (let calls = 0; calls < 62; calls++) {
    log.error({ err: refusal() }, 'Messages could not be indexed; the next round tries again')
    nowMs += 1_000
  }
  log.error({ err: new Error('else') }, 'A call failed')
  assert.deepEqual(
    lines.map(({ level, refusals }) => [level, refusals]),
    [
      ['warn', 1],
      ['warn', 60],
      ['error', undefined],
    ],
  )
})
