/**
 * Deletions of a part of the rows, of 100,000 that the planner has not counted: by a plan that was
 * made while the table was empty, and by one that is made now. A row is never compared with each
 * entry of a list. The test counts rows, not time.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type pg from 'pg'
import {
  discardWithheldDeliveries,
  discardWithheldImports,
  discardWithheldMessages,
  discardWithheldSignUps,
  releaseWithheldDeliveries,
  releaseWithheldImports,
  releaseWithheldMessages,
  releaseWithheldSignUps,
} from '../../src/db/restore/decide-withheld.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { createDatabase } from '../../src/database/client/database.ts'
import { deleteEventsNaming } from '../../src/db/events/events.ts'
import { copiedTables } from '../../src/database/transport/copied-tables.ts'
import { withCopyClient } from '../../src/database/transport/copy-client.ts'
import { deleteRowsOf } from '../../src/database/transport/move/workspace-rows.ts'
import { expireRows } from '../../src/db/retention/expire-rows.ts'
import {
  deleteExpired,
  deleteExpiredOf,
  expiringTables,
  expiringTablesOfWorkspaces,
} from '../../src/db/retention/lifetimes.ts'
import { setWorkspaceRetention } from '../../src/db/retention/retention-limits.ts'
import { dropRefusals } from '../../src/db/audience/import-lists.ts'
import { dropPieces } from '../../src/db/audience/subscriber-files.ts'
import { deleteOldImports } from '../../src/db/audience/subscriber-imports.ts'
import { takeUnsearched } from '../../src/db/audience/subscriber-search.ts'
import { deleteDeliveries } from '../../src/db/webhooks/webhook-journal.ts'
import { freshDatabase, runOn, stopClock } from '../support/database.ts'
import { Session, statementsOf, withoutAutovacuum, type PlanNode } from '../support/plans.ts'

const many = 100_000
const max = 5_000
const w = 1
const id = '00000000-0000-7000-8000-000000000001'
const nth = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
const old = `'2020-01-01'`

interface Deletion {
  /**
   * Each table that gets many rows, its columns, and their values in the row `n`. None: another
   * deletion has filled it.
   */
  rows: [table: string, columns: string, values: string][]
  run: (db: Connection) => Promise<unknown>
}

const withheld = (kind: string): [string, string, string] => [
  'held_work',
  'workspace_id, kind, id, part',
  `${w}, '${kind}', ${nth}, ${nth}`,
]

/** Rows of tables whose lifetime is listed. */
const expiring: Deletion['rows'] = [
  [
    'sender_volume',
    'organization, receiver, day, mails, highest_day, highest_mails',
    `n::text, 'gmail', ${old}, 1, ${old}, 1`,
  ],
  [
    'erased_contact',
    'workspace_id, digest, erased_at',
    `${w}, decode(md5(n::text), 'hex'), ${old}`,
  ],
  ['ses_notice', 'id, received_at', `n::text, ${old}`],
  ['sign_up_rate', 'workspace_id, bucket, since, taken', `${w}, n::text, ${old}, 1`],
  ['postmaster_day', 'workspace_id, domain, day, spam_rate', `${w}, n::text, ${old}, 0`],
  ['destination', 'name, next_free_at, changed_at', `n::text, ${old}, ${old}`],
  [
    'idempotency_key',
    'workspace_id, key, fingerprint, message_ids, created_at',
    `${w}, n::text, '', '{}', ${old}`,
  ],
  [
    'refusal_day',
    'workspace_id, day, domain, cause, refusals, last_at',
    `${w}, date ${old} - n % 100, n::text, 'x', 1, ${old}`,
  ],
  [
    'sts_policy',
    'domain, policy_id, mode, mx, expires_at, changed_at',
    `n::text, '', 'none', '{}', ${old}, ${old}`,
  ],
  [
    'tls_session',
    'day, domain, policy, result, sessions',
    `date ${old} - n % 100, n::text, 'sts', 'x', 1`,
  ],
  ['request_rate', 'workspace_id, bucket, seconds, passed', `${w}, n::text, '{1}', '{1}'`],
  [
    'reputation_address',
    'workspace_id, kind, email, counted_at',
    `${w}, 'bounce', n::text, ${old}`,
  ],
  [
    'user_session',
    'digest, id, user_id, method, ip, user_agent, created_at, seen_at, shown_at, expires_at',
    `decode(md5(n::text), 'hex'), gen_random_uuid(), '${id}', 'password', '', '', ${old}, ${old}, ${old}, ${old}`,
  ],
]

const deletions: Record<string, Deletion> = {
  'release mails': {
    rows: [
      [
        'message',
        'workspace_id, id, head, subject, tags, message_id, created_at, quota_month',
        `${w}, ${nth}, '{}', '', '{}', n::text, ${old}, '2020-01-01'`,
      ],
      [
        'recipient',
        'workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at',
        `${w}, ${nth}, 0, 'to', n::text, n::text, 'queued', 'pending', 'held', ${old}`,
      ],
    ],
    run: (db) => releaseWithheldMessages(db, w, max),
  },
  'discard mails': { rows: [], run: (db) => discardWithheldMessages(db, w, max) },
  'release deliveries': {
    rows: [
      withheld('delivery'),
      [
        'webhook_delivery',
        'workspace_id, webhook_id, event_id, type, status, created_at',
        `${w}, '${id}', ${nth}, 'email.sent', 'pending', ${old}`,
      ],
    ],
    run: (db) => releaseWithheldDeliveries(db, w, max),
  },
  'discard deliveries': { rows: [], run: (db) => discardWithheldDeliveries(db, w, max) },
  'release sign-ups': {
    rows: [
      withheld('sign_up'),
      [
        'sign_up',
        'workspace_id, id, form_id, email, shown, created_at',
        `${w}, ${nth}, '${id}', n::text, '', ${old}`,
      ],
    ],
    run: (db) => releaseWithheldSignUps(db, w, max),
  },
  'discard sign-ups': { rows: [], run: (db) => discardWithheldSignUps(db, w, max) },
  'release imports': {
    rows: [
      withheld('import'),
      [
        'import_file',
        'workspace_id, id, name, state, user_email, created_at, ended_at, import_id',
        `${w}, ${nth}, n::text, 'stopped', '', ${old}, ${old}, gen_random_uuid()`,
      ],
    ],
    run: (db) => releaseWithheldImports(db, w, max),
  },
  'discard imports': { rows: [], run: (db) => discardWithheldImports(db, w, max) },
  'events of an address': {
    rows: [
      [
        'event',
        'workspace_id, id, place, type, body, created_at',
        `${w}, ${nth}, n, 'email.sent', 'x', ${old}`,
      ],
    ],
    run: (db) =>
      deleteEventsNaming(db, w, { text: 'x', after: '00000000-0000-0000-0000-000000000000', max }),
  },
  'refused lines': {
    rows: [
      [
        'subscriber_import_refusal',
        'workspace_id, import_id, line, reason, email',
        `${w}, '${id}', n, 'x', n::text`,
      ],
    ],
    run: (db) => dropRefusals(db, w, id, max),
  },
  'pieces of a file': {
    rows: [
      ['import_file_part', 'workspace_id, file_id, position, content', `${w}, '${id}', n, ''`],
    ],
    run: (db) => dropPieces(db, w, id, max),
  },
  'old imports': {
    rows: [
      [
        'subscriber_import',
        'workspace_id, id, fingerprint, file_name, started_at, finished_at',
        `${w}, ${nth}, '', '', timestamptz ${old} + n * interval '1 second', ${old}`,
      ],
    ],
    run: (db) => deleteOldImports(db, w, 30, max),
  },
  unsearched: {
    rows: [['subscriber_search_pending', 'workspace_id, subscriber_id', `${w}, ${nth}`]],
    run: (db) => takeUnsearched(db, w, max),
  },
  journal: { rows: [], run: (db) => deleteDeliveries(db, w, id, max) },
  ...Object.fromEntries(
    expiringTables.map((table): [string, Deletion] => [
      `expired ${table}`,
      {
        rows: expiring.filter(([name]) => name === table),
        run: (db) => deleteExpired(db, table, max),
      },
    ]),
  ),
  ...Object.fromEntries(
    expiringTablesOfWorkspaces.map((table): [string, Deletion] => [
      `expired ${table}`,
      {
        rows: expiring.filter(([name]) => name === table),
        run: (db) => deleteExpiredOf(db, table, { workspaceId: w, max }),
      },
    ]),
  ),
}

const planned = await statementsOf(
  Object.fromEntries(Object.entries(deletions).map(([name, { run }]) => [name, run])),
)
const fills = Object.values(deletions).flatMap(({ rows }) => rows)
const { url, connection } = await freshDatabase()
await runOn(url, withoutAutovacuum(fills.map(([table]) => table)))
const sessions = { 'while it was empty': new Session(url), now: new Session(url) }
after(() => Promise.all(Object.values(sessions).map((session) => session.end())))
for (const { statement } of planned) await sessions['while it was empty'].plan(statement)
for (const [table, columns, values] of fills)
  await runOn(
    url,
    `set session_replication_role = replica; insert into ${table} (${columns}) select ${values} from generate_series(1, ${many}) n`,
  )

/** Every row that a part of the plan read or compared. */
const rowsRead = (node: PlanNode): number =>
  (node['Actual Loops'] ?? 0) *
    ((node['Actual Rows'] ?? 0) +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Join Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0)

/**
 * Filters that look through a list for each row: the rows that they compare are counted nowhere.
 */
const filtersByList = (node: PlanNode): string[] => [
  ...[node.Filter ?? ''].filter((filter) => /= ANY \(\(?(?:InitPlan|\$|SubPlan)/.test(filter)),
  ...(node.Plans ?? []).flatMap(filtersByList),
]

function checkLinear(plan: PlanNode): void {
  assert.deepEqual(filtersByList(plan), [])
  assert.ok(
    rowsRead(plan) <= 6 * many,
    `${rowsRead(plan)} rows of ${many} were read:\n${JSON.stringify(plan, null, 1)}`,
  )
}

/**
 * Explains a statement as it is executed, within the transaction that `ask` asks in, and undoes it.
 */
async function checkStatement(
  ask: (text: string) => Promise<Pick<pg.QueryResult, 'rows'>>,
  text: string,
): Promise<void> {
  await ask('savepoint checked')
  const { rows } = await ask(`explain (analyze, timing off, format json) ${text}`)
  await ask('rollback to checked')
  const [line] = rows as Record<'QUERY PLAN', [{ Plan: PlanNode }]>[]
  checkLinear(line?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan'))
}

for (const [when, session] of Object.entries(sessions))
  for (const name of Object.keys(deletions))
    test(`${name}, planned ${when}: each row is read a few times`, async () => {
      for (const { statement } of planned.filter(({ act }) => act === name))
        checkLinear(await session.explain(statement))
    })

test('what a move leaves behind: each part of a deletion reads its own rows', async () => {
  await withCopyClient(url, async (client) => {
    const checked = new Proxy(client, {
      get: (target, name) =>
        name === 'query'
          ? async (text: string, values?: unknown[]) => {
              if (text.startsWith('delete'))
                await checkStatement((line) => target.query(line), text)
              return target.query(text, values)
            }
          : (Reflect.get(target, name) as unknown),
    })
    const left = (await copiedTables(client)).filter(({ name }) =>
      ['held_work', 'subscriber_search_pending', 'webhook_delivery'].includes(name),
    )
    assert.equal(left.length, 3)
    for (const table of left) {
      let deleted = 0
      const onRows = (rows: number): void => void (deleted += rows)
      await deleteRowsOf(checked, {
        workspaceId: w,
        table,
        onRows,
        signal: new AbortController().signal,
      })
      assert.ok(deleted >= many, table.name)
    }
  })
})

test('expired rows: each batch reads its own rows', async () => {
  await runOn(
    url,
    `insert into plan values ('default', null); insert into workspace (id, slug, name, plan, created_at) values (${w}, 'w', 'w', 'default', ${old})`,
  )
  await setWorkspaceRetention(connection, w, 'events', 7)
  await stopClock(url, `${new Date().toISOString().slice(0, 10)}T02:00:00Z`)
  let batches = 0
  const transaction: Connection['transaction'] = (work) =>
    connection.transaction((tx) =>
      work(
        createDatabase(async (statement) => {
          if (!/^\s*(?:delete|select tableoid)/.test(statement.text)) return tx.ask(statement)
          if (statement.text.includes('delete from event')) batches++
          await checkStatement((text) => tx.ask({ ...statement, text }), statement.text)
          return tx.ask(statement)
        }),
      ),
    )
  await expireRows(
    {
      db: { ...connection, transaction },
      log: { error: (details) => assert.fail(JSON.stringify(details)) },
    },
    { pause: () => Promise.resolve(), stopping: new AbortController().signal },
  )
  assert.equal(batches, many / max)
})
