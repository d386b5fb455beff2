/**
 * One installation with two cells, as its users see it: the whole program, with workspaces in both
 * (docs/decisions/0060-cells.md).
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { allScopes } from '../../src/contract/scopes.ts'
import { createWorkspace } from '../../src/core/workspaces/create-workspace.ts'
import { makeApiKey } from '../../src/core/workspaces/make-api-key.ts'
import { connect } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'
import { globalTables } from '../../src/database/schema/global-tables.ts'
import { insertDomain, verifyDomain } from '../../src/db/domains/domains.ts'
import { recordCopy } from '../../src/database/transport/copy-state.ts'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { createOperator, type Operator } from '../cli/facteur.ts'
import { addTestCell } from '../support/add-test-cell.ts'
import { ask, textAt, type Answer } from '../support/ask.ts'
import { freshDatabase, runOn, testCell, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/service.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { makeTwoCells } from './two-cells-database.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const twoCells = skip ? freshDatabase : await makeTwoCells()

interface Side {
  slug: string
  id: number
  call(line: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  write(to: string, more?: object): Promise<Answer>
}

test(
  'workspaces of two cells in one process: keys, mail, campaigns, links, captured mail and metrics',
  { skip },
  async (t) => {
    const { open, add, run, url, baseUrl, operator } = await installation(t)
    await run('all', ['start'])
    const near = await open('near', 1)
    assert.equal((await near.write('a@example.com')).status, 202)
    await add()
    const far = await open('far', 2)
    // The process learned of the cell before the command ended.
    assert.equal((await far.call('GET /me')).status, 200)
    assert.equal((await far.write('b@example.com')).status, 202)
    assert.deepEqual(await rows(url, near.id), { home: 1, other: 0 })
    assert.deepEqual(await rows(url, far.id), { home: 0, other: 1 })

    for (const location of [near, far]) {
      const { unsubscribe } = await linksOfCampaign(location, { url, operator })
      const left = await fetch(unsubscribe, { method: 'POST', body: 'List-Unsubscribe=One-Click' })
      assert.equal(left.status, 200)
      const { body } = await location.call(
        `GET /subscribers/${encodeURIComponent(`reader@${location.slug}.example`)}`,
      )
      assert.equal((body as { status: string }).status, 'unsubscribed')
    }
    // One figure for all cells.
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
    assert.match(metrics, /^facteur_today_recipients\{event="handed_over"\} 4$/m)
    assert.match(metrics, /^facteur_metrics_read_failed\{read="today"\} 0$/m)
    assert.equal((await ask(baseUrl, 'GET /api/v1/me', { key: `${far.slug}nokey` })).status, 401)

    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
    const planned = await Promise.all(
      [near, far].map(
        async (location) =>
          [location, await location.write('gone@example.com', { scheduled_at })] as const,
      ),
    )
    await operator.json(['suppression', 'add', '--platform', 'gone@example.com'])
    for (const [location, answer] of planned)
      assert.deepEqual(
        ((await location.call(`GET /emails/${textAt(answer, 'id')}`)).body as { status: string })
          .status,
        'failed',
        location.slug,
      )
  },
)

test(
  'what was given out before a move holds after it: key, message, idempotency key, links of mails',
  { skip },
  async (t) => {
    const { open, run, url, operator } = await installation(t, await twoCells(t))
    await run('all', ['start'])
    const location = await open('near', 1)
    const order = {
      from: 'hello@near.test',
      to: 'a@example.com',
      subject: 'Your order',
      text: 'Thank you.',
    }
    const send = (): Promise<Answer> =>
      location.call('POST /emails', order, { 'Idempotency-Key': 'order-1' })
    const first = await send()
    assert.equal(first.status, 202)
    const { unsubscribe, click } = await linksOfCampaign(location, { url, operator })
    await operator.json(['workspace', 'move', 'near', '2'])
    assert.deepEqual(await rows(url, location.id), { home: 0, other: 1 })

    assert.deepEqual((await send()).body, first.body)
    assert.deepEqual(
      await rows(url, location.id),
      { home: 0, other: 1 },
      'the same call makes no second message',
    )
    assert.equal((await location.call(`GET /emails/${textAt(first, 'id')}`)).status, 200)
    const followed = await fetch(click, { redirect: 'manual' })
    assert.equal(followed.headers.get('location'), 'https://example.org/news')
    assert.equal(
      (await fetch(unsubscribe, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status,
      200,
    )
    const { body } = await location.call('GET /subscribers/reader%40near.example')
    assert.equal((body as { status: string }).status, 'unsubscribed')
  },
)

test('a cell that does not answer leaves the mail of the others flowing', { skip }, async (t) => {
  const { open, run, url, baseUrl } = await installation(t, await twoCells(t))
  await run('all', ['start'])
  const near = await open('near', 1)
  const far = await open('far', 2)
  assert.equal((await far.write('first@example.com')).status, 202)
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  // The database goes with the test.
  blocker.on('error', () => undefined)
  await blocker.query('begin')
  await blocker.query(
    'lock table cell_2.recipient, cell_2.due, cell_2.request_rate, cell_2.quota_usage in access exclusive mode',
  )
  const waiting = far.write('later@example.com')
  for (let index = 0; index < 5; index++)
    assert.equal((await near.write(`n${index}@example.com`)).status, 202)
  const later = new Date(Date.now() + 1_000).toISOString()
  const planned = await near.write('planned@example.com', { scheduled_at: later })
  const { id } = planned.body as { id: string }
  await until(
    () => near.call(`GET /emails/${id}`),
    ({ body }) => hasLeft(body),
  )
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  assert.match(metrics, /^facteur_metrics_read_failed\{read="recipients"\} 1$/m)
  assert.match(metrics, /^facteur_recipients\{/m)
  await blocker.query('rollback')
  // On a slow machine its patience ended before; then the next call is taken.
  const { status } = await waiting
  if (status !== 503) assert.equal(status, 202)
  else
    await until(
      async () => (await far.write('again@example.com')).status,
      (answered) => answered === 202,
    )
  await blocker.end()
})

test(
  'api and worker apart: both follow a cell that is added while they run',
  { skip },
  async (t) => {
    const { open, add, run, url } = await installation(t)
    await run('api', ['start', '--role', 'api'])
    await run('worker', ['start', '--role', 'worker'])
    await add()
    const far = await open('far', 2)
    assert.equal((await far.call('GET /me')).status, 200)
    const planned = await far.write('planned@example.com', {
      scheduled_at: new Date(Date.now() + 1_000).toISOString(),
    })
    assert.equal(planned.status, 202, JSON.stringify(planned.body))
    const { id } = planned.body as { id: string }
    await until(
      () => far.call(`GET /emails/${id}`),
      ({ body }) => hasLeft(body),
    )
    assert.deepEqual(await rows(url, far.id), { home: 0, other: 1 })
  },
)

test(
  'a cell that cannot be opened: its workspaces are answered 503 until it is back, and the others go on',
  { skip },
  async (t) => {
    const { open, run, url } = await installation(t, await twoCells(t))
    const near = await open('near', 1)
    const far = await open('far', 2)
    // Connections of the cell would find the tables of cell 1.
    await runOn(url, 'alter schema cell_2 rename to elsewhere')
    await run('all', ['start'])
    const refused = await far.call('GET /me')
    assert.equal(refused.status, 503, JSON.stringify(refused.body))
    assert.equal(refused.headers.get('retry-after'), '2')
    assert.equal((await near.write('a@example.com')).status, 202)
    await runOn(url, 'alter schema elsewhere rename to cell_2')
    await until(
      () => far.call('GET /me'),
      ({ status }) => status === 200,
    )
    assert.equal((await far.write('b@example.com')).status, 202)
    assert.deepEqual(await rows(url, far.id), { home: 0, other: 1 })
  },
)

test(
  'nothing of a second cell leads to tables of the first: keys, defaults, triggers and views',
  { skip },
  async (t) => {
    const { url } = await installation(t, await twoCells(t))
    const { rows: views } = await runOn(
      url,
      "select schemaname, count(*)::int from pg_views where schemaname in ('public', 'cell_2') group by 1",
    )
    assert.equal(views.length, 2)
    assert.equal(views[0]?.count, views[1]?.count)
    const { rows: result } = await runOn(
      url,
      `with leads as (
       select conrelid as of, confrelid as "to" from pg_constraint where contype = 'f'
       union all select r.ev_class, d.refobjid from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
         where d.refclassid = 'pg_class'::regclass
       union all select a.adrelid, d.refobjid from pg_attrdef a join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = a.oid
         where d.refclassid = 'pg_class'::regclass
     )
     select distinct o.relname as of, t.relname as "to" from leads l join pg_class o on o.oid = l.of join pg_class t on t.oid = l."to"
     where o.relnamespace = 'cell_2'::regnamespace and t.relnamespace = 'public'::regnamespace
       and t.relname not in (${globalTables.map((name) => `'${name}'`).join()})`,
    )
    assert.deepEqual(result, [])
  },
)

test(
  'with two cells, a backup is refused, since it would hold the tables of one',
  { skip },
  async (t) => {
    const { operator } = await installation(t, await twoCells(t))
    const message = /^This installation has several cells/
    await operator.refused(['backup', makeTemporaryFolder('backup')], {
      code: 'failed',
      exit: 1,
      message,
    })
  },
)

test(
  'no cell is added while the database is copied: the copy would not have its tables',
  { skip },
  async (t) => {
    const { url, add } = await installation(t)
    const db = connect({ connectionString: url, poolSize: 1 })
    const copy = makeIds(() => Date.now())()
    await recordCopy(db, { copy, target: 'elsewhere', sealedTarget: Buffer.alloc(1) })
    await assert.rejects(add(), /A copy of this database is under way/)
    assert.deepEqual(await db.column(sql`select id from cell`), [1])
    await db.end()
  },
)

const hasLeft = (body: unknown): boolean =>
  ['sent', 'delivered'].includes((body as { status: string }).status)

async function installation(t: TestContext, database?: TestDatabase) {
  const { url } = database ?? (await freshDatabase(t))
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const env = {
    ...{ DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') },
    ...{ FACTEUR_LANGUAGE: 'en', FACTEUR_PORT: String(port), FACTEUR_BASE_URL: baseUrl },
  }
  const operator: Operator = createOperator(env)
  return {
    ...{ url, baseUrl, operator },
    add: () => addTestCell(url, { isOnly: false }),
    async run(name: string, args: string[]): Promise<void> {
      const program = await startProgram(t, { env, args })
      await until(
        () => program.output(),
        (output) => output.includes('is ready'),
      )
      assert.equal(program.child.exitCode, null, `${name}: ${program.output()}`)
    },
    /** A workspace with a verified domain and a key, in a cell. */
    async open(slug: string, cell: number): Promise<Side> {
      const db = connect({
        connectionString: url,
        schema: cell === 1 ? 'public' : `cell_${cell}`,
        poolSize: 1,
      })
      const ctx = { db, makeId: makeIds(() => Date.now()) }
      const created =
        (await createWorkspace(ctx, { name: slug, databaseId: cell })) ?? assert.fail()
      await insertDomain(db, created.id, `${slug}.test`)
      await verifyDomain(db, created.id, `${slug}.test`)
      await upsertSender(db, created.id, {
        id: ctx.makeId(),
        name: null,
        email: `hello@${slug}.test`,
      })
      const { key } = await makeApiKey(ctx, {
        workspaceId: created.id,
        name: 'test',
        scopes: [...allScopes],
        expiresAt: null,
      })
      await db.end()
      const call = (
        line: string,
        body?: unknown,
        headers: Record<string, string> = {},
      ): Promise<Answer> =>
        ask(baseUrl, line.replace(' /', ' /api/v1/'), {
          key,
          headers,
          ...(body !== undefined && { body }),
        })
      const write = (to: string, more: object = {}): Promise<Answer> =>
        call('POST /emails', {
          from: `hello@${slug}.test`,
          to,
          subject: 'Hello',
          text: 'Hello',
          ...more,
        })
      return { slug, id: created.id, call, write }
    },
  }
}

/** A campaign to one subscriber: the links of its mail. */
async function linksOfCampaign(
  location: Side,
  { url, operator }: { url: string; operator: Operator },
) {
  const reader = `reader@${location.slug}.example`
  const subscriber = await location.call('POST /subscribers', {
    email: reader,
    double_opt_in: false,
  })
  assert.equal(subscriber.status, 201, JSON.stringify(subscriber.body))
  await allow(url, location.id)
  const html = '<p><a href="https://example.org/news">News</a></p>'
  const draft = await location.call('POST /campaigns', { name: 'News', subject: 'News', html })
  const id = textAt(draft, 'id')
  const sent = await location.call(`POST /campaigns/${id}/send`)
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  await until(
    () => location.call(`GET /campaigns/${id}`),
    ({ body }) => (body as { status: string }).status === 'sent',
  )
  const listed = (await operator.json(['captured', 'list', '--workspace', location.slug])) as {
    data: { id: string; recipient: string }[]
  }
  const mail = listed.data.find(({ recipient }) => recipient === reader)
  assert.ok(mail, `${location.slug}: ${JSON.stringify(listed)}`)
  const raw = (
    await operator.run(['captured', 'raw', '--workspace', location.slug, mail.id])
  ).stdout.toString()
  const text = raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  const [unsubscribe = ''] = /http:\/\/127\.0\.0\.1:\d+\/unsubscribe\/[\w-]+/.exec(text) ?? []
  const [, click = ''] = /href="(http:\/\/127\.0\.0\.1:\d+[^"]+)"[^>]*>News</.exec(text) ?? []
  return { unsubscribe, click }
}

async function allow(url: string, id: number): Promise<void> {
  const db = connect({ connectionString: url, poolSize: 1 })
  await db.count(
    sql`update workspace set postal_address = '1 rue de Rivoli, Paris' where id = ${id}`,
  )
  await db.end()
}

/** How many messages of a workspace stand in each cell. */
async function rows(url: string, id: number): Promise<{ home: number; other: number }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: result } = await client
      .query<{ home: number; other: number }>(
        `select (select count(*)::int from public.message where workspace_id = ${id}) as home,
        (select count(*)::int from cell_2.message where workspace_id = ${id}) as other`,
      )
      .catch(() =>
        client.query<{ home: number; other: number }>(
          `select count(*)::int as home, 0 as other from public.message where workspace_id = ${id}`,
        ),
      )
    return result[0] ?? { home: -1, other: -1 }
  } finally {
    await client.end()
  }
}
