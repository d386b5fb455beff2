/**
 * What a process does while the primary of its database changes: it finds the new one, and never
 * goes back to the former.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, type Connection } from '../../../src/database/client/connect.ts'
import { lostConnection } from '../../../src/database/client/database-errors.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { startReplicated, type PostgresServer } from '../../support/replicated-postgres.ts'
import { until } from '../../support/until.ts'

test('a primary that is killed, one that is cut off and comes back, and a commit that nobody waits for', async (t) => {
  const postgres = await startReplicated(t, { synchronous: true })
  const [first, second] = [postgres.primary(), postgres.standby()]
  // Each is as one that another process has: they share what this process knows.
  const pools = Array.from({ length: 2 }, () =>
    connect({ connectionString: postgres.url, poolSize: 3 }),
  )
  const [db = assert.fail(), other = assert.fail()] = pools
  t.after(() => Promise.all(pools.map((pool) => pool.end())))
  const isAt = async (server: PostgresServer, pool: Connection = db): Promise<boolean> =>
    server.url.includes(`:${await pool.onlyValue<number>(sql`select inet_server_port()`)}/`)

  await db.count(sql`create table kept (n int primary key)`)
  assert.ok((await isAt(first)) && (await isAt(first, other)))

  // PostgreSQL reports a commit as done when an operator cancels its wait for the standby; the
  // caller must not take it for done.
  second.signal('SIGSTOP')
  const unconfirmed = assert.rejects(db.count(sql`insert into kept values (1)`), lostConnection)
  const waits = `from pg_stat_activity where wait_event = 'SyncRep'`
  await until(async () => (await first.ask(`select 1 as one ${waits}`))['one'])
  await first.ask(`select pg_cancel_backend(pid) ${waits}`)
  await unconfirmed
  second.signal('SIGCONT')

  await db.count(sql`insert into kept values (2)`)
  await first.kill()
  await until(
    () => isAt(second).then(String, String),
    (observed) =>
      /No server takes writes: .*127\.0\.0\.1:\d+: nothing listens there/.test(observed),
  )
  await assert.rejects(isAt(second), lostConnection)
  await postgres.promote()
  await until(() => isAt(second).catch(() => null))
  assert.equal(await db.value(sql`select n from kept where n = 2`), 2)

  await postgres.replaceFormer()
  assert.ok((await isAt(second)) && (await isAt(second, other)))
  second.signal('SIGSTOP')
  const hanging = assert.rejects(isAt(second, other), lostConnection)
  await postgres.promote()
  // A look at the others ends it, and not its time limit.
  await hanging
  await until(() => isAt(first).catch(() => null))

  second.signal('SIGCONT')
  await second.ask(`alter system set synchronous_standby_names = ''`)
  await second.ask('select pg_reload_conf()')
  const { next } = await second.ask(nextTransaction)
  // Now the former primary alone takes writes, and it cannot know that it is one.
  await first.kill()
  await until(
    () => isAt(second).then(String, String),
    (observed) =>
      /127\.0\.0\.1:\d+ is a former primary: it has timeline 2, and 3 has begun/.test(observed),
  )
  await assert.rejects(migrate(postgres.url), /^Error: No server takes writes: /)
  assert.deepEqual(await second.ask(nextTransaction), { next })
})

/** Each transaction that writes takes a number. */
const nextTransaction = 'select pg_snapshot_xmax(pg_current_snapshot())::text as next'
