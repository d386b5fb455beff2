/**
 * Gives every node of a cluster the global tables that statements join with tables of a cell
 * (docs/decisions/0060-cells.md).
 *
 * The tables themselves stay plain ones beside cell 1, so that its statements never meet the
 * planner of Citus. A schema of its own has a reference table for each, which connections of other
 * cells find first. A trigger repeats each change there, in the same transaction.
 */
import type pg from 'pg'
import { sharedSchema } from '../client/search-path.ts'
import { withShortLocks, type ShortLocks } from './short-locks.ts'

export const sharedTables: readonly string[] = [
  'plan',
  'workspace',
  'platform_suppression',
  'retention',
  'installation',
]

type Work = Omit<ShortLocks, 'what'>

/** Nothing happens where all of it is there. */
export async function shareGlobalTables(client: pg.Client, work: Work): Promise<void> {
  await client.query(`create schema if not exists ${sharedSchema}`)
  await client.query(repeatChange)
  for (const table of sharedTables)
    if (!(await isCurrent(client, table)))
      await withShortLocks(client, { ...work, what: `The copy of ${table} for the nodes` }, () =>
        makeCopy(client, table),
      )
  await shareFunctions(client)
}

/** After migrations: the copies have the columns and indexes that their tables have now. */
export async function renewSharedTables(client: pg.Client, work: Work): Promise<void> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [
    sharedSchema,
  ])
  if (rowCount !== 0) await shareGlobalTables(client, work)
}

/** Writers of the table wait for as long as its rows are copied. */
async function makeCopy(client: pg.Client, table: string): Promise<void> {
  const copy = `${sharedSchema}.${table}`
  await client.query('begin')
  try {
    await client.query(`drop trigger if exists facteur_share on public.${table}`)
    await client.query(`drop table if exists ${copy}`)
    await client.query(`
      create table ${copy} (
        like public.${table} including defaults including constraints including indexes
          including storage including compression)`)
    // Also where a move switches a workspace, which keeps other triggers from answering.
    await client.query(`
      create trigger facteur_share after insert or update or delete on public.${table}
      for each row execute function ${sharedSchema}.repeat_change()`)
    await client.query(`alter table public.${table} enable always trigger facteur_share`)
    await client.query(`insert into ${copy} select * from public.${table}`)
    await client.query('select create_reference_table($1)', [copy])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * An UPDATE of the row itself, so that a statement that waits for its lock on a node finds it
 * again. Values go as texts, which Citus passes to any node.
 */
const repeatChange = `
  create or replace function ${sharedSchema}.repeat_change() returns trigger language plpgsql as $$
  declare
    present jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
    former jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
    which text;
  begin
    select string_agg(format('%I = %L', a.attname, former ->> a.attname::text), ' and ') into which
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = tg_relid and i.indisprimary;
    if tg_op = 'INSERT' then
      execute (
        select format('insert into ${sharedSchema}.%I (%s) values (%s)', tg_table_name,
          string_agg(quote_ident(c.key), ', '), string_agg(quote_nullable(c.value), ', '))
        from jsonb_each_text(present) c);
    elsif tg_op = 'UPDATE' then
      execute (
        select format('update ${sharedSchema}.%I set %s where %s', tg_table_name,
          string_agg(format('%I = %L', c.key, c.value), ', '), which)
        from jsonb_each_text(present) c);
    else
      execute format('delete from ${sharedSchema}.%I where %s', tg_table_name, which);
    end if;
    return null;
  end $$`

/** The same columns and indexes, on every node, and the trigger that keeps it so. */
async function isCurrent(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>(
    `with shapes as (
       select s.schema,
         (select string_agg(
            format('%s %s %s', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull), ', '
            order by a.attname)
          from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select string_agg(
            i.indisunique || substring(pg_get_indexdef(i.indexrelid, 0, true) from ' USING .*'), ', '
            order by i.indisunique || substring(pg_get_indexdef(i.indexrelid, 0, true) from ' USING .*'))
          from pg_index i
          where i.indrelid = c.oid and i.indisvalid) as indexes
       from (values ('public'), ('${sharedSchema}')) s (schema)
       join pg_class c on c.relnamespace = to_regnamespace(s.schema) and c.relname = $1
     )
     select exists (
         select from shapes a
         join shapes b on (a.columns, a.indexes) is not distinct from (b.columns, b.indexes)
         where a.schema = 'public' and b.schema = '${sharedSchema}')
       and exists (
         select from pg_trigger
         where tgrelid = to_regclass('public.' || $1) and tgname = 'facteur_share' and tgenabled = 'A')
       and exists (
         select from citus_tables
         where table_name = to_regclass('${sharedSchema}.' || $1) and citus_table_type = 'reference') as is`,
    [table],
  )
  return rows[0]?.is === true
}

/**
 * Statements call them on the node that has the cell. Those that read a shared table find its copy
 * wherever they run; those that read a table of a cell are made with each cell.
 */
async function shareFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    name: string
    definition: string
    readsShared: boolean
    readsCell: boolean
  }>(
    `select f.oid::regprocedure::text as name, pg_get_functiondef(f.oid) as definition,
       ${reads('c.relname = any ($1::text[])')} as "readsShared",
       ${reads('c.relname <> all ($1::text[])')} as "readsCell"
     from pg_proc f
     where f.pronamespace = 'public'::regnamespace and f.prokind = 'f' and f.prorettype <> 'trigger'::regtype
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
     order by 1`,
    [sharedTables],
  )
  for (const { name, definition, readsShared, readsCell } of rows) {
    // In `public` of a node there is no such table.
    if (readsShared && readsCell) continue
    if (readsShared) await client.query(inSharedSchema(definition))
    await client.query('select create_distributed_function($1)', [
      readsShared ? `${sharedSchema}.${name}` : name,
    ])
  }
}

const reads = (which: string): string => `exists (
  select from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and ${which}
    and f.prosrc ~* ('\\m(from|join|into|update)\\s+' || c.relname || '\\M'))`

const inSharedSchema = (definition: string): string =>
  definition
    .replace('FUNCTION public.', `FUNCTION ${sharedSchema}.`)
    .replace('\nAS ', `\n SET search_path TO ${sharedSchema}, public\nAS `)
