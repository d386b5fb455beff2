/**
 * The plans of the hot statements (docs/decisions/0007): made while the tables were empty, they
 * must still be right when the tables have grown. The test checks how many rows a plan reads, not
 * how long it takes.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findPage } from '../../src/core/audience/subscribers/search-subscribers.ts'
import { migrate } from '../../src/database/schema/migrate.ts'
import { plannerSamples } from '../../src/database/schema/planner-samples.ts'
import { sql } from '../../src/database/client/sql.ts'
import { countSample, searchIndexed } from '../../src/db/audience/subscriber-search.ts'
import { subscribersInWindow } from '../../src/db/audience/subscriber-traits.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { campaigns } from '../support/plan-acts/campaigns.ts'
import { sending } from '../support/plan-acts/sending.ts'
import {
  idOf,
  many,
  needleOf,
  page,
  scan,
  subscribers,
  w,
} from '../support/plan-acts/subscribers.ts'
import { webhooks } from '../support/plan-acts/webhooks.ts'
import {
  checkPlan,
  plannerLosses,
  scansOf,
  Session,
  statementsOf,
  tablesWithoutSample,
  withoutAutovacuum,
  type Planned,
  type PlannedArea,
  type Reason,
} from '../support/plans.ts'

const areas = { sending, subscribers, webhooks, campaigns }
const big = new Set(Object.values(areas).flatMap((area) => area.big))
const prepare = `
  ${withoutAutovacuum([...big])};
  insert into plan values ('default', null);
  insert into workspace (id, slug, name, plan, created_at) select n, 'big' || n, 'big', 'default', facteur_now() from generate_series(1, 2) n;
  ${Object.values(areas)
    .map((area) => area.prepare)
    .filter(Boolean)
    .join(';')}`

interface Limited extends Planned {
  reason: Reason
}
const limitedOf = async ({ acts, answer, readMax }: PlannedArea): Promise<Limited[]> =>
  (await statementsOf(acts, [answer])).map((planned) => ({ ...planned, reason: { big, readMax } }))
const ofAreas = await Promise.all(
  Object.values(areas).map(async (area) => ({ area, planned: await limitedOf(area) })),
)
const all = ofAreas.flatMap(({ planned }) => planned)

const check = async (session: Session, planned: readonly Limited[]): Promise<void> => {
  for (const { act, statement, reason } of planned)
    checkPlan(act, await session.explain(statement), reason)
}

/**
 * Triggers of a row, such as the one that refuses repeated feedback, would take longer than all
 * else.
 */
const fill = async (url: string): Promise<void> => {
  for (const { area } of ofAreas)
    await runOn(url, ['set session_replication_role = replica', ...area.fill].join(';\n'))
}

const { url, connection } = await freshDatabase()
await runOn(url, prepare)
const young = new Session(url)
for (const { statement } of all) await young.plan(statement)
await fill(url)

const copy = (await freshDatabase()).url
const [restored, grown] = [new Session(copy), new Session(copy)]
after(() => Promise.all([young, restored, grown].map((session) => session.end())))

for (const { area, planned } of ofAreas)
  for (const act of Object.keys(area.acts))
    test(`${act}: planned on empty tables, few rows are read of ${area.rows.toLocaleString('en')}`, () =>
      check(
        young,
        planned.filter((limited) => limited.act === act),
      ))

const byTime = String.raw`(?:\w+\.)?\w+_at`
const byDate = String.raw`COALESCE\(scheduled_at, sent_at, updated_at\)`
const byName = String.raw`lower\(name\)`
for (const [list, key] of Object.entries({
  ...{ suppressionPage: byTime, capturedPage: byTime, capturedEntries: byTime },
  ...{ 'list campaigns by date': byDate, 'list campaigns by -date': byDate },
  ...{ 'list campaigns by name': byName, 'list campaigns by -name': byName },
}))
  test(`${list}: the place is a condition of the index`, async () => {
    const { statement } = all.find(({ act }) => act === list) ?? assert.fail(list)
    const conditions = scansOf(await young.explain(statement)).map(
      (node) => node['Index Cond'] ?? '',
    )
    assert.ok(
      conditions.some((condition) =>
        new RegExp(String.raw`ROW\(${key}, (?:\w+\.)?id\) [<>] ROW\(`).test(condition),
      ),
      conditions.join('\n'),
    )
  })

test('a restored copy after its start, planned on empty tables: few rows are read', async () => {
  for (const statement of plannerLosses['a restored copy']) await runOn(copy, statement)
  await migrate(copy)
  await runOn(copy, prepare)
  for (const { statement } of all) await restored.plan(statement)
  await fill(copy)
  await runOn(copy, `analyze ${(await tablesWithoutSample(copy)).join()}`)
  await check(restored, all)
})

test('planned now, with statistics: few rows are read', async () => {
  await runOn(copy, `analyze ${Object.keys(plannerSamples).join()}`)
  await check(grown, all)
})

test('the check finds a plan that reads a whole table', async () => {
  const plan = await grown.explain({
    name: 'whole',
    text: `select count(*) from recipient where kind = 'to'`,
    values: [],
  })
  assert.throws(() => checkPlan('whole', plan, { big, readMax: sending.readMax }))
})

test('the first page of a tag that no recent subscriber has is found, although all came by the same source', async () => {
  const { rows } = await findPage(
    { db: connection },
    { workspaceId: w, filter: { source: 'api', tag: 'old' }, max: 50, before: null },
  )
  assert.deepEqual(
    rows.map(({ id }) => id),
    Array.from({ length: 50 }, (_, index) => idOf(many / 2 - index)),
  )
})

test('an unlucky filter answers each page after a part of the list, and goes on where it stopped', async () => {
  const pages: string[][] = []
  for (let before: string | null = null; pages.flat().length < 50;) {
    const filter = { tag: 'even', field: 'odd' }
    const result: Awaited<ReturnType<typeof findPage>> = await findPage(
      { db: connection },
      { workspaceId: w, filter, max: 50, before },
    )
    pages.push(result.rows.map(({ id }) => id))
    before = result.next?.id ?? assert.fail('there are more')
  }
  assert.deepEqual(
    pages.slice(0, -1),
    [[], []],
    'lists that share only the oldest thousand are scanned in parts',
  )
  assert.deepEqual(
    pages.at(-1),
    Array.from({ length: 50 }, (_, index) => idOf(1000 - 2 * index)),
  )
})

test('every queried row exists: the plans are checked on real work', async () => {
  assert.equal((await searchIndexed(connection, w, needleOf('rare'), page)).length, many / 10_000)
  const { patterns } = needleOf('example')
  assert.equal((await subscribersInWindow(connection, w, { ...scan, patterns })).length, page.max)
  assert.ok((await countSample(connection, w, needleOf('example'), 16)) > 0)
  const [row] = await connection.rows<{ count: number }>(
    sql`select count(*) as count from subscriber where workspace_id = ${w}`,
  )
  assert.equal(row?.count, many)
})

test('a hundred recipients are claimed: the plans of a campaign are checked on real work', async () => {
  const claim = all.find(({ act }) => act === 'record and claim') ?? assert.fail('no statement')
  const claimed = await young.explain(claim.statement)
  assert.ok((claimed['Actual Rows'] ?? 0) > 90, 'a hundred are claimed')
})
