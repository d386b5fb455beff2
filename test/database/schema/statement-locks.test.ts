/**
 * The locks that a plan reads from statements: each kind, every file of ours, and what PostgreSQL
 * then really takes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import {
  isOutside,
  migrationsFolder,
  readMigrations,
} from '../../../src/database/schema/migration-files.ts'
import { lockModes, locksOf, type LockMode } from '../../../src/database/schema/statement-locks.ts'
import { statementsOf } from '../../../src/database/schema/statement-text.ts'
import { emptyDatabase } from '../../support/database.ts'

/** Each statement with its locks: table, mode, work. */
const kinds: [string, string[]][] = [
  ['create table one (n int, two bigint references two)', ['two SHARE ROW EXCLUSIVE moment']],
  ['create table if not exists one (n int) partition by range (n)', []],
  ['create unlogged table one (n int)', []],
  ['create table one_1 partition of one default', ['one ACCESS EXCLUSIVE moment']],
  ['create index one_n on one (n)', ['one SHARE index']],
  ['CREATE UNIQUE INDEX one_n ON "one" (n)', ['one SHARE index']],
  [
    'create index concurrently if not exists one_n on one (n)',
    ['one SHARE UPDATE EXCLUSIVE index'],
  ],
  ['drop index one_n', ['one_n ACCESS EXCLUSIVE moment']],
  ['drop index concurrently if exists one_n', ['one_n SHARE UPDATE EXCLUSIVE moment']],
  ['alter index one_n rename to one_m', ['one_n SHARE UPDATE EXCLUSIVE moment']],
  ["alter table one add column m text not null default ''", ['one ACCESS EXCLUSIVE moment']],
  [
    'alter table one add column if not exists at timestamptz not null default facteur_now()',
    ['one ACCESS EXCLUSIVE rewrite'],
  ],
  [
    'alter table one add column m int generated always as identity',
    ['one ACCESS EXCLUSIVE rewrite'],
  ],
  ['alter table one add column m int check (m > 0)', ['one ACCESS EXCLUSIVE read']],
  [
    'alter table one add column m bigint references two',
    ['one ACCESS EXCLUSIVE moment', 'two SHARE ROW EXCLUSIVE moment'],
  ],
  [
    'alter table one drop column m, drop constraint one_check',
    ['one ACCESS EXCLUSIVE moment', 'one ACCESS EXCLUSIVE moment'],
  ],
  [
    "alter table one add constraint one_check check (m in ('a', 'b'))",
    ['one ACCESS EXCLUSIVE read'],
  ],
  [
    "alter table one add constraint one_check check (m in ('a', 'b')) not valid",
    ['one ACCESS EXCLUSIVE moment'],
  ],
  ['alter table one validate constraint one_check', ['one SHARE UPDATE EXCLUSIVE read']],
  [
    'alter table one add constraint one_two foreign key (m) references two',
    ['one SHARE ROW EXCLUSIVE read', 'two SHARE ROW EXCLUSIVE moment'],
  ],
  [
    'alter table one add constraint one_two foreign key (m) references two not valid',
    ['one SHARE ROW EXCLUSIVE moment', 'two SHARE ROW EXCLUSIVE moment'],
  ],
  ['alter table one add primary key (n)', ['one ACCESS EXCLUSIVE index']],
  [
    'alter table one add constraint one_pkey primary key using index one_n',
    ['one ACCESS EXCLUSIVE moment'],
  ],
  ['alter table one alter column m type bigint', ['one ACCESS EXCLUSIVE rewrite']],
  [
    'alter table one alter m set data type bigint using m::bigint',
    ['one ACCESS EXCLUSIVE rewrite'],
  ],
  ['alter table one alter column m set not null', ['one ACCESS EXCLUSIVE read']],
  [
    'alter table one alter column m drop not null, alter m set default 3',
    Array.from({ length: 2 }, () => 'one ACCESS EXCLUSIVE moment'),
  ],
  ['alter table one alter column m set statistics 500', ['one SHARE UPDATE EXCLUSIVE moment']],
  [
    'alter table one set (fillfactor = 80, autovacuum_vacuum_threshold = 5)',
    ['one SHARE UPDATE EXCLUSIVE moment'],
  ],
  ['alter table one set logged', ['one ACCESS EXCLUSIVE rewrite']],
  ['alter table one rename to two', ['one ACCESS EXCLUSIVE moment']],
  ['alter table one rename column m to k', ['one ACCESS EXCLUSIVE moment']],
  ['alter table one disable trigger all', ['one SHARE ROW EXCLUSIVE moment']],
  [
    'alter table one attach partition one_1 default',
    ['one SHARE UPDATE EXCLUSIVE moment', 'one_1 ACCESS EXCLUSIVE read'],
  ],
  ['alter table one detach partition one_1', ['one ACCESS EXCLUSIVE moment']],
  ['alter table one detach partition one_1 concurrently', ['one SHARE UPDATE EXCLUSIVE moment']],
  ['drop table if exists one, two', ['one ACCESS EXCLUSIVE moment', 'two ACCESS EXCLUSIVE moment']],
  ['truncate one', ['one ACCESS EXCLUSIVE moment']],
  [
    'create trigger t after update of n on one for each row execute function f()',
    ['one SHARE ROW EXCLUSIVE moment'],
  ],
  ['drop trigger if exists t on one', ['one ACCESS EXCLUSIVE moment']],
  ['analyze one, two', ['one SHARE UPDATE EXCLUSIVE sample', 'two SHARE UPDATE EXCLUSIVE sample']],
  ['lock table one in share row exclusive mode', ['one SHARE ROW EXCLUSIVE moment']],
  [
    "call facteur_partition('one', 'id')",
    ['one SHARE UPDATE EXCLUSIVE read', 'one ACCESS EXCLUSIVE moment'],
  ],
  ['insert into one select n from two', ['one ROW EXCLUSIVE rows']],
  [
    'with gone as (delete from two returning n) update one set n = 1',
    ['two ROW EXCLUSIVE rows', 'one ROW EXCLUSIVE rows'],
  ],
  ['select count(*) from one for update', []],
  ['create or replace view v as select n from one', []],
  [
    'create function f() returns int language plpgsql as $$ begin delete from one; return 1; end $$',
    [],
  ],
  ["comment on table one is 'a; b'", []],
  ['do $$ begin update one set n = 1; commit; end $$', ['one ROW EXCLUSIVE rows']],
  ['do $$ begin lock table one in access exclusive mode; end $$', ['one ACCESS EXCLUSIVE moment']],
  [
    "do $$ declare name text; begin foreach name in array array['one', 'two'] loop execute format('alter table %I rename', name); end loop; end $$",
    ['one ACCESS EXCLUSIVE moment', 'two ACCESS EXCLUSIVE moment'],
  ],
  ["do $x$ begin execute format('create index on %I (n)', 'one'); end $x$", ['one SHARE index']],
]

test('each kind of statement: its tables, their locks, and what is done meanwhile', () => {
  for (const [statement, expected] of kinds)
    assert.deepEqual(
      locksOf(statement).map(({ table, mode, work }) => `${table} ${mode} ${work}`),
      expected,
      statement,
    )
})

test('a statement or a change of an unknown kind is refused, so that no plan leaves it out', () => {
  for (const statement of [
    'cluster one using one_n',
    'vacuum full one',
    'reindex table one',
    'alter table one inherit two',
    'call other()',
    "do $$ begin execute 'reindex table one'; end $$",
  ])
    assert.throws(() => locksOf(statement), /No kind of/, statement)
})

test('statements of a file: texts, bodies and comments may hold semicolons', () => {
  assert.deepEqual(
    statementsOf(`-- outside; a transaction
      insert into one values ('a;''b');  -- its end;
      create function f() returns int language sql as $$ select 1; $$;
      do $x$ begin; perform '$$'; end $x$`),
    [
      "insert into one values ('a;''b')",
      'create function f() returns int language sql as $$ select 1; $$',
      "do $x$ begin; perform '$$'; end $x$",
    ],
  )
})

const files = readMigrations(migrationsFolder)

test('every statement of every migration is understood', () => {
  for (const { name, text } of files)
    for (const statement of statementsOf(text))
      assert.doesNotThrow(() => locksOf(statement), `${name}: ${statement}`)
})

test('no migration takes a stronger lock on a table than its plan says', async (t) => {
  const client = new pg.Client(await emptyDatabase(t))
  client.on('error', () => undefined)
  await client.connect()
  for (const file of files) {
    if (isOutside(file)) {
      for (const statement of statementsOf(file.text)) await client.query(statement)
      continue
    }
    const planned = statementsOf(file.text).flatMap(locksOf)
    // A plan names a partitioned table for its partitions.
    const { rows: before } = await client.query<{ oid: number; name: string }>(
      `select c.oid::int, coalesce(p.relname, c.relname) as name from pg_class c
       left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
    )
    await client.query('begin')
    await client.query(file.text)
    const { rows: taken } = await client.query<{ oid: number; mode: string }>(
      `select relation::int as oid, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'
       and mode not in ('AccessShareLock', 'RowShareLock')`,
    )
    await client.query('commit')
    for (const { oid, mode } of taken) {
      const table = before.find((known) => known.oid === oid)
      if (!table) continue
      const strongest = Math.max(
        -1,
        ...planned
          .filter((lock) => lock.table === table.name)
          .map((lock) => lockModes.indexOf(lock.mode)),
      )
      assert.ok(
        lockModes.indexOf(modeOf(mode)) <= strongest,
        `${file.name} takes ${mode} on ${table.name}`,
      )
    }
  }
  await client.end()
})

/** `AccessExclusiveLock` of pg_locks is `ACCESS EXCLUSIVE` of the statement. */
const modeOf = (name: string): LockMode => {
  const words = name.replace(/Lock$/, '').replaceAll(/(?<=.)(?=[A-Z])/g, ' ')
  return lockModes.find((mode) => mode === words.toUpperCase()) ?? assert.fail(name)
}
