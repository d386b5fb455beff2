/**
 * Captures which rows of a database change while it is copied. A trigger of each statement writes
 * the keys of its rows into a table of the copy; a truncate, which has no rows to tell, is refused.
 * That works on every PostgreSQL, without rights beyond those of the owner, and costs nothing once
 * it is gone.
 */
import type pg from 'pg'
import { withShortLocks } from '../schema/short-locks.ts'
import { quoted } from './table-shapes.ts'
import type { CopiedTable } from './copied-tables.ts'
import { inTransactionOf } from './copy-client.ts'

const logOf = ({ name }: Pick<CopiedTable, 'name'>): string => quoted(`copy_log_${name}`)

/** Of a log, and of the keys on their way: the columns of a primary key, in its order. */
export const keyColumns = ({ key }: CopiedTable): string =>
  key.map(({ type }, at) => `k${at} ${type}`).join(', ')
export const keyNames = ({ key }: CopiedTable): string => key.map((_, at) => `k${at}`).join(', ')
/** Matches a row `t` of the table with its key `k`. */
export const isKeyOf = ({ key }: CopiedTable): string =>
  key.map(({ name }, at) => `t.${quoted(name)} = k.k${at}`).join(' and ')
/** The keys of the rows that have changed, each once. */
export const changedKeys = (table: CopiedTable): string =>
  `(select distinct ${keyNames(table)} from ${logOf(table)})`

const events = ['insert', 'update', 'delete', 'truncate'] as const
const transitions = {
  insert: 'new table as came',
  update: 'old table as gone new table as came',
  delete: 'old table as gone',
  truncate: null,
} as const

/**
 * Creates what is missing of it. A table is locked for a moment: its writers end first, and each
 * later change is in the log.
 */
export async function startCapture(
  client: pg.Client,
  tables: readonly CopiedTable[],
  { progress, signal }: { progress: (text: string) => void; signal: AbortSignal },
): Promise<void> {
  // Only the last step of a copy replaces it: from then on each change is refused.
  await client.query(`
    create or replace function copy_gate() returns void language plpgsql as $$ begin end $$`)
  const captured = await capturedTables(client)
  for (const table of tables.filter(({ name }) => !captured.has(name))) {
    signal.throwIfAborted()
    await withShortLocks(client, { what: `The copy of ${table.name}`, progress, signal }, () =>
      inTransactionOf(client, 'begin', async () => {
        const [name, log] = [quoted(table.name), logOf(table)]
        const keys = table.key.map((column) => quoted(column.name)).join(', ')
        await client.query(`
          create table if not exists ${log} (${keyColumns(table)});
          create or replace function ${log}() returns trigger language plpgsql as $$ begin
            perform copy_gate();
            if tg_op = 'TRUNCATE' then
              raise exception 'This database is being copied: delete the rows, or give the copy up first (facteur database copy --abort)';
            end if;
            if tg_op <> 'INSERT' then insert into ${log} select ${keys} from gone; end if;
            if tg_op <> 'DELETE' then insert into ${log} select ${keys} from came; end if;
            return null;
          end $$`)
        for (const event of events) {
          const rows = transitions[event] === null ? '' : `referencing ${transitions[event]}`
          await client.query(`
            create or replace trigger copy_${event} after ${event} on ${name} ${rows}
            for each statement execute function ${log}()`)
        }
      }),
    )
  }
}

/** The tables whose changes are captured without exception. */
export async function capturedTables(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = current_schema()::regnamespace and t.tgname = any ($1) and t.tgenabled = 'O'
       and t.tgfoid = to_regprocedure(quote_ident('copy_log_' || c.relname) || '()')
       and to_regclass(quote_ident('copy_log_' || c.relname)) is not null
     group by c.relname having count(*) = $2`,
    [events.map((event) => `copy_${event}`), events.length],
  )
  return new Set(rows.map(({ name }) => name))
}

/** Of these tables, those that have changed. */
export async function changedTables(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<CopiedTable[]> {
  const each = tables.map((table) => `exists (select from ${logOf(table)})`)
  const { rows } = await client.query<{ changed: boolean[] }>(
    `select array[${each.join(', ')}] as changed`,
  )
  return tables.filter((_, at) => rows[0]?.changed[at])
}

/** Counts the logs for the planner, which otherwise takes each for a small table. */
export async function countLogs(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<void> {
  for (const table of await changedTables(client, tables))
    await client.query(`analyze ${logOf(table)}`)
}

/** Forgets the changes that the snapshot of the running transaction sees. */
export async function forgetChanges(
  client: pg.ClientBase,
  tables: readonly CopiedTable[],
): Promise<void> {
  for (const table of tables) await client.query(`delete from ${logOf(table)}`)
}

/**
 * From the commit on, every change of a copied table is refused, by processes that know of the move
 * and by others alike. SQLSTATE 25006, read_only_sql_transaction: what meets it repeats its
 * statement later.
 */
export async function refuseChanges(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create or replace function copy_gate() returns void language plpgsql as $$ begin
      raise exception 'This installation has moved to another database' using errcode = '25006';
    end $$`)
}

/** Takes everything away that captures. */
export async function endCapture(
  client: pg.Client,
  { progress, signal }: { progress: (text: string) => void; signal: AbortSignal },
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `
      select substr(proname, 10) as name
      from pg_proc
      where pronamespace = current_schema()::regnamespace and proname like 'copy\\_log\\_%'`,
  )
  for (const table of rows)
    await withShortLocks(client, { what: `The copy of ${table.name}`, progress, signal }, () =>
      // Its triggers go with the function.
      client.query(
        `drop function if exists ${logOf(table)}() cascade; drop table if exists ${logOf(table)}`,
      ),
    )
  await client.query('drop function if exists copy_gate()')
}
