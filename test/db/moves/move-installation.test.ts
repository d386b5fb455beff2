/** The move of an installation while others write: everything that changes meanwhile is there, and a gap in the capture is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../../../src/clock.ts'
import { moveInstallation, type MoveInstallation } from '../../../src/core/moves/move-installation.ts'
import { expireRows } from '../../../src/db/retention/expire-rows.ts'
import { setWorkspaceRetention } from '../../../src/db/retention/retention-limits.ts'
import { freshDatabase, runOn, stopClock } from '../../support/database.ts'
import { fillMessages } from '../../support/filled-database.ts'

// Expired rows go at night, by the time of the process.
process.env['TZ'] = 'UTC'

const move = (from: string, to: string, given: Partial<MoveInstallation> = {}) =>
  moveInstallation({
    ...{ from, to, place: 'there', sealedTarget: Buffer.from('sealed'), servesOne: false, clock: systemClock },
    failpoints: { hit: () => undefined, broken: () => false },
    ...{ progress: () => undefined, onProgress: () => undefined, onMoved: () => undefined },
    ...{ beforeSwitch: () => Promise.resolve(), signal: new AbortController().signal },
    ...given,
  })

/** Runs `work` at a failpoint. */
const at = (name: string, work: () => Promise<void>) => ({
  failpoints: { hit: (hit: string) => (hit === name ? work() : undefined), broken: () => false },
})

/** Statements of each kind, until the move refuses them: also those that move rows between partitions, and cascades. */
async function keepWriting(url: string, workspaceId: number): Promise<{ rounds: number; error: unknown }> {
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
      await client.end()
      return { rounds: round, error }
    }
  }
}

test('under writes of every kind: counts and digests equal before and at the switch; then each change is refused', async (t) => {
  const [{ url }, { url: to }] = [await freshDatabase(t), await freshDatabase(t)]
  const workspaceId = await fillMessages(url, 2_000)
  const writing = keepWriting(url, workspaceId)
  const moved = await move(url, to)
  const { rounds, error } = await writing
  assert.ok(error instanceof pg.DatabaseError && error.code === '25006', String(error))
  assert.ok(rounds > 3)
  assert.deepEqual(moved.differing, [])
  assert.ok(moved.changes > rounds)
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
  await stopClock(url, `${new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10)}T02:00:00Z`)
  const log = { error: (context: { err?: unknown }) => assert.fail(String(context.err)) }
  const expire = () => expireRows({ db, log }, { pause: () => Promise.resolve(), stopping: new AbortController().signal })
  await move(url, to, at('move.copied', expire))
  assert.equal((await runOn(to, 'select from message_body')).rowCount, 0)
})
