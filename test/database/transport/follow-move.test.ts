/**
 * A process follows a copy through its states, also one that stops meanwhile or starts in its
 * middle.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { openIntake } from '../../../src/core/intake.ts'
import { followMoves, type FollowMove, type MoveFollower } from '../../../src/main/follow-move.ts'
import {
  liveProcesses,
  recordCopy,
  recordMove,
  setCopyState,
  takeCopyLocks,
  type ProcessState,
} from '../../../src/database/transport/copy-state.ts'
import { connect } from '../../../src/database/client/connect.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { checkReadiness } from '../../../src/entrypoints/health/check-readiness.ts'
import { freshDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const say = (): void => undefined
const log = { debug: say, info: say, warn: say, error: say }

/** A follower whose statements go over `connection`; it writes down what it does. */
async function openWorld(t: TestContext, options: Partial<FollowMove> = {}) {
  const [{ url, connection }, { url: to, connection: target }] = [
    await freshDatabase(t),
    await freshDatabase(t),
  ]
  const done: string[] = []
  const intake = openIntake()
  const note = (what: string) => (): Promise<void> => {
    done.push(what)
    return Promise.resolve()
  }
  await recordCopy(connection, {
    copy: 'one',
    target: 'there',
    sealedTarget: Buffer.from('sealed'),
  })
  const statements = connect({ connectionString: url, poolSize: 2 })
  t.after(() => statements.end())
  const start = (): MoveFollower => {
    const follower = followMoves(
      { countingDb: connection, clock: systemClock, log },
      {
        ...{ intake, connectionString: url, pause: note('pause') },
        resume: () => void done.push('resume'),
        ...{ pauseStatements: statements.pauseStatements, release: statements.release },
        ...{ moveTo: statements.moveTo, reach: note('reach'), closeFormer: note('closed') },
        open: () => Promise.resolve({ connectionString: to }),
        ...options,
      },
    )
    t.after(() => follower.stop())
    return follower
  }
  const reaches = async (state: ProcessState): Promise<void> => {
    await until(async () =>
      (await liveProcesses(connection, 10)).some((each) => each.state === state),
    )
  }
  const move = (): Promise<void> => recordMove(connection, new Map())
  const there = await databaseOf(target)
  return { connection, statements, there, done, intake, start, reaches, move }
}

const databaseOf = (db: Database): Promise<string> => db.onlyValue(sql`select current_database()`)

test('asked to stop while statements are kept back: they go to the target, and no work begins again', async (t) => {
  const { connection, statements, there, done, start, reaches, move } = await openWorld(t)
  const follower = start()
  await reaches('working')
  await setCopyState(connection, 'frozen')
  await reaches('frozen')
  const outcome = databaseOf(statements)
  follower.leave()
  await move()
  assert.equal(await outcome, there)
  await follower.stop()
  assert.deepEqual(
    done.filter((what) => what === 'resume'),
    [],
  )
  assert.equal(done.at(-1), 'closed')
})

test('stopped before the decision: statements that are kept back go where the installation is', async (t) => {
  const { connection, statements, there, start, reaches } = await openWorld(t)
  const follower = start()
  await reaches('working')
  await setCopyState(connection, 'frozen')
  await reaches('frozen')
  const outcome = databaseOf(statements)
  await follower.stop()
  assert.notEqual(await outcome, there)
})

test('stopped while a command reads the former database: that one stays open', async (t) => {
  const { connection, done, start, reaches, move } = await openWorld(t)
  await connection.transaction(async (command) => {
    assert.equal(await takeCopyLocks(command), 'taken')
    const follower = start()
    await reaches('working')
    await move()
    await reaches('moved')
    await follower.stop()
    assert.ok(!done.includes('closed'))
  })
})

test('started while the intake is stopped: it drains as well', async (t) => {
  const { connection, intake, start, reaches, move } = await openWorld(t, {
    reach: () => Promise.reject(new Error('not yet')),
  })
  await setCopyState(connection, 'draining')
  assert.equal(intake.pause === null, true)
  const follower = start()
  await reaches('drained')
  assert.equal(intake.pause?.().status, 503)
  await move()
  await reaches('moved')
  assert.equal(intake.pause === null, true)
  await follower.stop()
})

test('statements are kept back: the process stays ready', async (t) => {
  const { connection, statements, start, reaches } = await openWorld(t)
  const follower = start()
  await setCopyState(connection, 'frozen')
  await reaches('frozen')
  const ctx = { db: statements, clock: systemClock }
  assert.deepEqual(await checkReadiness(ctx, { isPaused: follower.isPaused }), {
    ready: true,
    reasons: [],
  })
  await setCopyState(connection, 'copying')
  await reaches('working')
  assert.equal(follower.isPaused(), false)
  assert.equal((await checkReadiness(ctx, { isPaused: follower.isPaused })).ready, true)
})
