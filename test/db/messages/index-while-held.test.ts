/**
 * The indexer of messages while a foreign transaction stays open: a look passes the messages since
 * the last one, whatever was written since the transaction began (docs/decisions/0052). The test
 * counts rows, not time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { indexMessages } from '../../../src/core/message-index/index-messages.ts'
import { systemClock } from '../../../src/ground/clock.ts'
import { homeCell } from '../../../src/database/cells/cell-changes.ts'
import { createDatabase } from '../../../src/database/client/database.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import type { Statement } from '../../../src/database/client/sql.ts'
import { checkIndex } from '../../../src/entrypoints/cli/doctor/check-index.ts'
import { ScanMark } from '../../../src/ground/scan-mark.ts'
import { freshDatabase, runOn } from '../../support/database.ts'
import { scansOf, Session } from '../../support/plans.ts'
import { until } from '../../support/until.ts'

const { url, connection } = await freshDatabase()
await runOn(
  url,
  `insert into plan values ('default', null);
   insert into workspace (id, slug, name, plan, created_at) values (1, 'held', 'held', 'default', facteur_now()), (2, 'late', 'late', 'default', facteur_now())`,
)
let nowMs = 0
const clock = { ...systemClock, monotonicMs: () => nowMs }
/** The looks for messages, as they were asked. */
const polls: Statement[] = []
const transaction: Connection['transaction'] = (work) =>
  connection.transaction((tx) =>
    work(
      createDatabase((statement) => {
        if (statement.text.includes('from message m')) polls.push(statement)
        return tx.ask(statement)
      }),
    ),
  )
const ctx = { db: { ...connection, transaction }, clock }

const accept = (count: number, at: string, workspaceId = 1) =>
  runOn(
    url,
    `insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
     select ${workspaceId}, gen_random_uuid(), '{}', 'x', null, gen_random_uuid(), ${at}, '2020-01-01' from generate_series(1, ${count}) n`,
  )
const indexed = async (): Promise<number> =>
  Number((await runOn(url, 'select count(*) from message_search')).rows[0]?.count)
const mark = async (): Promise<string> =>
  String((await runOn(url, 'select sure_to::text as mark from message_search_mark')).rows[0]?.mark)

test('a look passes new messages only; what became visible late is found by the next look from the mark on', async (t) => {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('select pg_current_xact_id()')
  const session = new Session(url)
  t.after(() => session.end())

  await accept(5_000, `facteur_now() - interval '10 minutes' + n * interval '100 milliseconds'`)
  const query = new ScanMark(clock)
  for (let isWhole = false; !isWhole;)
    isWhole = await indexMessages(ctx, { workspaceId: 1, scan: query })
  assert.equal(await indexed(), 5_000)
  const resting = await mark()

  polls.length = 0
  await accept(1, 'facteur_now()')
  await accept(1, `facteur_now() - interval '5 minutes'`)
  await indexMessages(ctx, { workspaceId: 1, scan: query })
  assert.equal(await indexed(), 5_001)
  const [statement] = polls
  const passed = scansOf(await session.explain(statement ?? assert.fail('no look')))
    .filter((scan) => scan['Relation Name'] === 'message')
    .reduce(
      (sum, scan) =>
        sum +
        (scan['Actual Loops'] ?? 0) *
          ((scan['Actual Rows'] ?? 0) + (scan['Rows Removed by Filter'] ?? 0)),
      0,
    )
  assert.ok(passed <= 2, String(passed))

  nowMs += 600_000
  await indexMessages(ctx, { workspaceId: 1, scan: query })
  assert.equal(await indexed(), 5_002)
  assert.equal(await mark(), resting, 'a transaction that is open may still write')

  await holder.query('commit')
  // Transactions of other databases of the server hold the mark as long as they last.
  await until(async () => {
    nowMs += 600_000
    await indexMessages(ctx, { workspaceId: 1, scan: query })
    return (await mark()) !== resting
  })
})

test('doctor says since when messages wait for the index', async () => {
  const query = () => checkIndex((inCell) => inCell(connection, homeCell))
  assert.equal((await query()).status, 'ok')
  await accept(1, `facteur_now() - interval '9 minutes'`, 2)
  assert.equal((await query()).status, 'ok', 'it may still be on its way')
  await accept(1, `facteur_now() - interval '11 minutes'`, 2)
  const late = await query()
  assert.equal(late.status, 'warning')
  assert.match(JSON.stringify(late), /messages since \d{4}-\d\d-\d\dT[\d:.]+Z are not indexed/)
})
