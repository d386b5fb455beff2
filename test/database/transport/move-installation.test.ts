/**
 * The move of an installation while others write: everything that changes meanwhile is there, and a
 * gap in the capture is found.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { systemClock, type Clock } from '../../../src/ground/clock.ts'
import { activateTarget } from '../../../src/core/restore/activate-target.ts'
import type { MoveInstallation } from '../../../src/database/transport/copy/move.ts'
import { moveInstallation } from '../../../src/database/transport/copy/move-installation.ts'
import { withCopyClient } from '../../../src/database/transport/copy-client.ts'
import { expireRows } from '../../../src/db/retention/expire-rows.ts'
import { setWorkspaceRetention } from '../../../src/db/retention/retention-limits.ts'
import { freshDatabase, runOn, stopClock } from '../../support/database.ts'
import { fillMessages } from '../../support/filled-database.ts'
import { createFrozenClock } from '../../support/frozen-clock.ts'
import { prepareDatabase, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

// Expired rows go at night, by the time of the process.
process.env['TZ'] = 'UTC'

const move = (from: string, to: string, options: Partial<MoveInstallation> = {}) =>
  moveInstallation({
    ...{
      from,
      to,
      targetName: 'there',
      sealedTarget: Buffer.from('sealed'),
      servesOne: false,
      clock: systemClock,
    },
    failpoints: null,
    ...{ progress: () => undefined, onProgress: () => undefined, onMoved: () => undefined },
    ...{ beforeSwitch: () => Promise.resolve(), activate: activateTarget },
    signal: new AbortController().signal,
    ...options,
  })

/** Runs `work` at a failpoint. */
const at = (name: string, work: () => Promise<void>) => ({
  failpoints: { hit: (hit: string) => (hit === name ? work() : undefined), broken: () => false },
})

/**
 * Statements of each kind, until the move refuses them: also those that move rows between
 * partitions, and cascades.
 */
async function keepWriting(
  url: string,
  workspaceId: number,
): Promise<{ rounds: number; error: unknown }> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  for (let round = 0; ; round++) {
    const name = `d${round}.test`
    try {
      await client.query(`
        insert into domain (workspace_id, name, status, created_at) values (${workspaceId}, '${name}', 'pending', facteur_now());
        insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
          values (${workspaceId}, '${name}', '${name}', 'TXT', 'spf', 'missing', '{}', true, 0, facteur_now());
        update message set subject = subject || '.' where workspace_id = ${workspaceId} and subject like 'Message number ${round % 90}%';
        update message_body set html = null where workspace_id = ${workspaceId} and message_id in (select id from message where subject like 'Message number ${round % 40}.');
        delete from recipient where email = 'reader-${round}@example.test';
        delete from domain where name = 'd${round - 2}.test';
        insert into reputation_day (workspace_id, epoch, day, hand_offs) values (${workspaceId}, 0, current_date, 1)
          on conflict (workspace_id, epoch, day) do update set hand_offs = reputation_day.hand_offs + 1`)
    } catch (error) {
      // The locks of the switch may have met it in the middle; the service repeats it, too.
      if (error instanceof pg.DatabaseError && error.code === '40P01') continue
      await client.end()
      return { rounds: round, error }
    }
  }
}

test('under writes of every kind: counts and digests equal before and at the switch; then each change is refused', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  const workspaceId = await fillMessages(url, 2_000)
  const writing = keepWriting(url, workspaceId)
  const shares: number[] = []
  const moved = await move(url, to, {
    onProgress: ({ step, share }) => step === 'last check' && shares.push(share),
  })
  const { rounds, error } = await writing
  assert.ok(error instanceof pg.DatabaseError && error.code === '25006', String(error))
  assert.ok(rounds > 3)
  assert.deepEqual(moved.differing, [])
  assert.ok(moved.changes > rounds)
  assert.ok(
    Number(shares[0]) < 0.5 && shares.at(-1) === 1,
    `${shares.join()}: the comparison after the switch has a progress of its own`,
  )
  assert.equal((await runOn(to, `select from pg_class where relname like 'copy\\_%'`)).rowCount, 0)
})

test('a change that is not captured: the comparison finds it, and nothing is switched', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  const workspaceId = await fillMessages(url, 200)
  let isBroken = null as Promise<unknown> | null
  const breakCapture = (): void =>
    void (isBroken ??= runOn(
      url,
      `create or replace function copy_log_message() returns trigger language plpgsql as $$ begin return null; end $$;
       update message set subject = 'Unseen' where workspace_id = ${workspaceId}`,
    ))
  await assert.rejects(
    move(url, to, { onProgress: ({ step }) => step === 'indexes' && breakCapture() }),
    /^OperatorError: The copy differs from the database in message\. Nothing was switched/,
  )
  await isBroken
  await runOn(url, `update message set subject = 'Still here'`)
})

test('rows that expire in batches during the copy: they are gone from the target too', async (t) => {
  const [{ url, connection: db }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await setWorkspaceRetention(db, await fillMessages(url, 20), 'bodies', 7)
  await stopClock(
    url,
    `${new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10)}T02:00:00Z`,
  )
  const log = { error: (context: { err?: unknown }) => assert.fail(String(context.err)) }
  const expire = () =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    )
  await move(url, to, at('move.copied', expire))
  assert.equal((await runOn(to, 'select from message_body')).rowCount, 0)
})

/** No process runs that would have to see the copy. */
const { sleep } = systemClock
const briskClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => sleep(ms === 2_500 ? 0 : ms, signal),
}

test('the server of the source is killed during the copy, then that of the target: the next run goes on with what is there', async (t) => {
  const server = await startPostgres({ durable: true })
  t.after(() => server.stop())
  const own = server.connectionString
  await prepareDatabase(own)
  await runOn(own, 'create database later')
  const { url: shared } = await freshDatabase(t)
  const workspaceId = await fillMessages(own, 300)
  for (const [from, to, moment] of [
    [own, shared, 'rows'],
    [shared, own.replace(/facteur\?/, 'later?'), 'indexes'],
  ] as const) {
    const before = server.pid()
    const kill = (): void => void (server.pid() === before && process.kill(before, 'SIGKILL'))
    await assert.rejects(
      move(from, to, { clock: briskClock, onProgress: ({ step }) => step === moment && kill() }),
    )
    const answers = (): Promise<boolean> =>
      runOn(own, 'select').then(
        () => true,
        () => false,
      )
    await until(async () => server.pid() !== before && (await answers()))
    await runOn(
      from,
      `update message set subject = 'Changed since ' || '${moment}' where subject like '%7'`,
    )
    const steps: string[] = []
    const moved = await move(from, to, { clock: briskClock, progress: (text) => steps.push(text) })
    assert.ok(steps.includes('Copying the rows that an earlier run did not'), steps.join())
    assert.deepEqual(moved.differing, [])
    const there = await runOn(
      to,
      `select count(*)::int as count, count(*) filter (where subject = 'Changed since ${moment}')::int as changed from message where workspace_id = ${workspaceId}`,
    )
    assert.deepEqual(there.rows[0], { count: 300, changed: moment === 'rows' ? 30 : 0 })
  }
})

/** Whatever is waited for takes long by it. */
function createLeapingClock(): Clock {
  let passedMs = 0
  return { ...systemClock, monotonicMs: () => (passedMs += 5_000) }
}

const change = (url: string): Promise<unknown> =>
  runOn(url, `update message set subject = 'Still here'`)

test('a target that does not answer in the last step: nothing is switched, and the source is free at once', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await fillMessages(url, 5)
  const other = new pg.Client({ connectionString: to })
  await other.connect()
  const beforeSwitch = async (): Promise<void> =>
    void (await other.query('begin; lock table message in access exclusive mode'))
  const clock = createFrozenClock()
  const refused = assert.rejects(
    move(url, to, { clock, beforeSwitch }),
    /^OperatorError: The target took longer than 20 s for the last changes\. Nothing was switched/,
  )
  for (const ms of [2_500, 20_000]) {
    await until(() => clock.sleepersMs().includes(ms))
    clock.advance(ms)
  }
  await refused
  await change(url)
  await other.end()
  assert.deepEqual((await move(url, to)).differing, [])
})

test('changes that come faster than the target takes them: nothing is switched', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await fillMessages(url, 2_000)
  // Whenever the copy has taken the changes, all rows have changed once more.
  const again = `
    create function change_again() returns trigger language plpgsql as $$ begin
      insert into copy_log_message select workspace_id, id from message; return null; end $$;
    create trigger change_again after delete on copy_log_message for each statement execute function change_again();
    update message set subject = 'Changed'`
  const beforeSwitch = async (): Promise<void> => void (await runOn(url, again))
  await assert.rejects(
    move(url, to, { clock: createLeapingClock(), beforeSwitch }),
    /^OperatorError: Changes come faster than the target takes them/,
  )
})

test('a process that would not follow is found before anything is copied', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await fillMessages(url, 5)
  const older = new pg.Client({ connectionString: url, application_name: 'facteur hints' })
  await older.connect()
  let isCopied = false
  const refused = move(url, to, {
    clock: createLeapingClock(),
    onProgress: () => (isCopied = true),
  })
  await assert.rejects(
    refused,
    /^OperatorError: A process of an older version of Facteur works on this database/,
  )
  assert.ok(!isCopied)
  await older.end()
})

test('stopped at the last moment: nothing is switched. A truncate is refused during the copy; its commits are on the disk', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  await fillMessages(url, 5)
  const stopping = new AbortController()
  const { failpoints } = at('move.before_decision', () =>
    Promise.resolve(stopping.abort(new Error('SIGINT'))),
  )
  await assert.rejects(
    move(url, to, { failpoints, signal: stopping.signal }),
    /^OperatorError: Stopped\. Nothing was switched/,
  )
  await change(url)
  await assert.rejects(runOn(url, 'truncate message cascade'), /This database is being copied/)
  await runOn(
    url,
    `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
  )
  await withCopyClient(url, async (client) =>
    assert.deepEqual((await client.query('show synchronous_commit')).rows, [
      { synchronous_commit: 'on' },
    ]),
  )
})

test('stopped while a statement is under way: it is cancelled', async (t) => {
  const { url } = await freshDatabase(t)
  const stopping = new AbortController()
  const sleeping = withCopyClient(
    url,
    (client) => client.query('select pg_sleep(600)'),
    stopping.signal,
  )
  const isUnderWay = () =>
    runOn(url, `select from pg_stat_activity where query = 'select pg_sleep(600)'`)
  await until(isUnderWay, ({ rowCount }) => rowCount === 1)
  stopping.abort(new Error('SIGINT'))
  await assert.rejects(sleeping, /canceling statement due to user request/)
})
