/**
 * A pipeline: a statement leaves before the previous one is answered, none fails another, and none
 * holds a connection for ever.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as dial, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { connect } from '../../../src/database/client/connect.ts'
import { lostConnection, sqlState } from '../../../src/database/client/database-errors.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { freshDatabase } from '../../support/database.ts'

const backend = async (db: Database): Promise<number> =>
  (await db.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid ?? 0

async function openPool(t: TestContext, poolSize: number, connectionString?: string) {
  const db = connect({
    connectionString: connectionString ?? (await freshDatabase(t)).url,
    poolSize,
  })
  t.after(() => db.end())
  return db
}

test('a statement is sent while the previous one still runs, and is executed after it', async (t) => {
  const { url, sent } = await listen(t, (await freshDatabase(t)).url)
  const pipeline = (await openPool(t, 2, url)).pipeline()
  const order: string[] = []
  await pipeline.rows(sql`select 'warm'`)
  const first = pipeline.rows(sql`select pg_sleep(1)::text`).then(() => order.push('first'))
  const second = pipeline.rows(sql`select 'the second'`).then(() => order.push('second'))
  while (!sent().includes('the second')) await turn()
  assert.deepEqual(order, [])
  await Promise.all([first, second])
  assert.deepEqual(order, ['first', 'second'])
})

test('statements under way together share a connection, and a failing one leaves the others', async (t) => {
  const db = await openPool(t, 4)
  const pipeline = db.pipeline()
  await backend(pipeline)
  const [first, failed, second] = await Promise.allSettled([
    backend(pipeline),
    pipeline.rows(sql`select 1 / ${0}::int`),
    backend(pipeline),
  ])
  assert.ok(failed.status === 'rejected' && sqlState(failed.reason) === '22012')
  assert.ok(
    first.status === 'fulfilled' && second.status === 'fulfilled' && first.value === second.value,
  )
})

test('a statement that the server refuses leaves its connection, alone and in a pipeline', async (t) => {
  const db = await openPool(t, 1)
  const pid = await backend(db)
  for (const requested of [db, db.pipeline()]) {
    await assert.rejects(requested.rows(sql`select 1 / ${0}::int`), { code: '22012' })
    assert.equal(await backend(db), pid)
  }
})

test('statements that wait for a connection wait for the same one', async (t) => {
  const db = await openPool(t, 1)
  const pipeline = db.pipeline()
  const answer = await db.transaction(async () => {
    const pids = [1, 2, 3].map(() => backend(pipeline))
    assert.equal(db.load().waiting, 1)
    return { pids }
  })
  assert.equal(new Set(await Promise.all(answer.pids)).size, 1)
})

test('a busy pipeline gives its connection to others', async (t) => {
  const db = await openPool(t, 1)
  const pipeline = db.pipeline()
  const ended = new AbortController()
  const load = [1, 2, 3].map(async () => {
    while (!ended.signal.aborted) await pipeline.rows(sql`select pg_sleep(0.02)::text`)
  })
  // After ten seconds the pool gives up, and the statement fails.
  for (let times = 0; times < 5; times++) await db.rows(sql`select 'another'`)
  ended.abort()
  await Promise.all(load)
})

test('a broken connection ends the statements under way on it, and the next ones get another', async (t) => {
  const db = await openPool(t, 2)
  const pipeline = db.pipeline()
  const broken = await backend(pipeline)
  const underWay = [
    pipeline.rows(sql`select pg_sleep(30)::text`),
    pipeline.rows(sql`select 'behind it'`),
  ]
  const ended = Promise.allSettled(underWay)
  await db.rows(sql`select pg_terminate_backend(${broken})`)
  for (const result of await ended)
    assert.ok(result.status === 'rejected' && lostConnection(result.reason))
  assert.notEqual(await backend(pipeline), broken)
})

test('a caller who asks again while others still wait on a broken connection gets another', async (t) => {
  const db = await openPool(t, 3)
  const pipeline = db.pipeline()
  const broken = await backend(pipeline)
  const again = pipeline.rows(sql`select pg_sleep(30)::text`).catch(() => backend(pipeline))
  const behind = pipeline.rows(sql`select 'behind it'`).catch(() => null)
  await db.rows(sql`select pg_terminate_backend(${broken})`)
  assert.notEqual(await again, broken)
  await behind
})

test('a busy pipeline ends with the pool', async (t) => {
  const db = connect({ connectionString: (await freshDatabase(t)).url, poolSize: 2 })
  const pipeline = db.pipeline()
  const refused = [1, 2].map(async () => {
    for (;;) {
      const failure = await pipeline.rows(sql`select pg_sleep(0.02)::text`).then(
        () => '',
        (error: Error) => error.message,
      )
      if (failure !== '') return failure
    }
  })
  await pipeline.rows(sql`select 'under way'`)
  await db.end()
  for (const failure of await Promise.all(refused)) assert.match(failure, /after calling end/)
})

test('a connection that answers too late is not used again', async (t) => {
  const db = await openPool(t, 1)
  const pipeline = db.pipeline()
  const late = await backend(pipeline)
  await assert.rejects(
    pipeline.rows({ ...sql`select pg_sleep(1)::text`, query_timeout: 200 }),
    lostConnection,
  )
  assert.notEqual(await backend(db), late)
})

test('while the database takes no connection a call fails as a lost connection, and works again later', async (t) => {
  const { url, close, open } = await listen(t, (await freshDatabase(t)).url)
  const pipeline = (await openPool(t, 1, url)).pipeline()
  close()
  await assert.rejects(pipeline.rows(sql`select 1`), lostConnection)
  open()
  assert.ok(await backend(pipeline))
})

/** A proxy before the database that records the bytes sent through it. */
async function listen(t: TestContext, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-'))
  const socket = '.s.PGSQL.5432'
  const behind = new URL(url.replace('@/', '@local/'))
  const target = join(behind.searchParams.get('host') ?? '', socket)
  const chunks: Buffer[] = []
  let isOpen = true
  const server = createServer((from) => {
    if (!isOpen) return void from.destroy()
    const to = dial(target)
    from.on('data', (chunk: Buffer) => chunks.push(chunk))
    from.pipe(to).pipe(from)
    for (const end of [from, to])
      end.on('error', () => [from, to].forEach((each) => each.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(join(folder, socket), resolve))
  t.after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  behind.searchParams.set('host', folder)
  return {
    url: behind.href.replace('@local/', '@/'),
    sent: () => Buffer.concat(chunks).toString('latin1'),
    close: () => void (isOpen = false),
    open: () => void (isOpen = true),
  }
}
