/**
 * Captures which rows of one workspace change while they are copied to another cell, and refuses
 * such changes from the last step on: by triggers of the old cell's tables, so that no process has
 * to know of the move (migrations/0075_capture_of_moves.sql).
 */
import type pg from 'pg'
import { quoted } from '../table-shapes.ts'
import { withShortLocks } from '../../schema/short-locks.ts'
import { sql } from '../../client/sql.ts'
import type { Database } from '../../client/database.ts'
import type { CopiedTable } from '../copied-tables.ts'
import { inTransactionOf } from '../copy-client.ts'

const transitions = {
  insert: 'new table as came',
  update: 'old table as gone new table as came',
  delete: 'old table as gone',
} as const

const triggerOf = (workspaceId: number, event: string): string =>
  quoted(`copy_${workspaceId}_${event}`)

interface Requested {
  progress(text: string): void
  signal: AbortSignal
}

/**
 * Creates what is missing. Answers whether all of it was there, so that no change has escaped since
 * an earlier run. `open`: changes pass. `closing`: they are refused, such as those of workers of
 * the new cell, which find rows there that are not theirs yet.
 */
export async function captureWorkspace(
  client: pg.Client,
  {
    workspaceId,
    tables,
    part,
    progress,
    signal,
  }: Requested & { workspaceId: number; tables: readonly CopiedTable[]; part: 'open' | 'closing' },
): Promise<boolean> {
  const captured = await capturedFor(client, workspaceId)
  const missing = tables.filter(({ name }) => !captured.has(name))
  await client.query(
    `insert into move_gate (workspace_id, part) values ($1, $2) on conflict do nothing`,
    [workspaceId, part],
  )
  for (const { name, key } of missing) {
    signal.throwIfAborted()
    const columns = key.map((column) => `${quoted(column.name)}::text`).join(', ')
    await withShortLocks(client, { what: `The move of ${name}`, progress, signal }, () =>
      inTransactionOf(client, 'begin', async () => {
        for (const [event, rows] of Object.entries(transitions)) {
          await client.query(
            `drop trigger if exists ${triggerOf(workspaceId, event)} on ${quoted(name)}`,
          )
          await client.query(`
            create trigger ${triggerOf(workspaceId, event)} after ${event} on ${quoted(name)}
            referencing ${rows}
            for each statement
            execute function facteur_capture_move(
              '${workspaceId}', '${name}', 'jsonb_build_array(${columns})')`)
        }
      }),
    )
  }
  return missing.length === 0
}

/** The tables with all triggers of the workspace. */
async function capturedFor(client: pg.ClientBase, workspaceId: number): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = current_schema()::regnamespace and t.tgname like $1 and t.tgparentid = 0
       and t.tgenabled = 'O'
     group by c.relname having count(*) = $2`,
    [`copy\\_${workspaceId}\\_%`, Object.keys(transitions).length],
  )
  return new Set(rows.map(({ name }) => name))
}

/** Takes everything away: the cell's tables are as any other's for this workspace. */
export async function endWorkspaceCapture(
  client: pg.Client,
  { workspaceId, progress, signal }: Requested & { workspaceId: number },
): Promise<void> {
  const { rows } = await client.query<{ name: string; triggers: string[] }>(
    `
      select c.relname::text as name, array_agg(t.tgname::text) as triggers
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = current_schema()::regnamespace and t.tgname like $1 and t.tgparentid = 0
      group by c.relname
      order by 1`,
    [`copy\\_${workspaceId}\\_%`],
  )
  for (const { name, triggers } of rows)
    await withShortLocks(client, { what: `The move of ${name}`, progress, signal }, () =>
      inTransactionOf(client, 'begin', async () => {
        for (const trigger of triggers)
          await client.query(`drop trigger if exists ${quoted(trigger)} on ${quoted(name)}`)
      }),
    )
  await client.query('delete from move_change where workspace_id = $1', [workspaceId])
  await client.query('delete from move_gate where workspace_id = $1', [workspaceId])
}

/**
 * Later changes are refused at once; it resolves when the transactions under way that have changed
 * something are over. The row `closing` is locked from then on, so that an opening in between
 * leaves the gate as it was or as it is to be, and never without a row.
 */
export async function closeGate(client: pg.Client, workspaceId: number): Promise<void> {
  const close = `insert into move_gate (workspace_id, part) values ($1, $2)
     on conflict (workspace_id, part) do update set part = $2`
  await client.query(close, [workspaceId, 'closing'])
  await inTransactionOf(client, 'begin', async () => {
    await client.query(close, [workspaceId, 'closing'])
    await client.query(`delete from move_gate where workspace_id = $1 and part = 'open'`, [
      workspaceId,
    ])
  })
}

/** Changes pass again, and are captured. In a transaction: see `closeGate`. */
export async function openGate(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(
    sql`delete from move_gate where workspace_id = ${workspaceId} and part = 'closing'`,
  )
  await tx.count(
    sql`insert into move_gate (workspace_id, part) values (${workspaceId}, 'open') on conflict do nothing`,
  )
}

/** Whether changes of the workspace are refused in the cell of the connection. */
export function isGateClosing(db: Database, workspaceId: number): Promise<boolean> {
  return db.onlyValue<boolean>(
    sql`select exists (select from move_gate where workspace_id = ${workspaceId} and part = 'closing') as is`,
  )
}

/**
 * The workspaces whose changes are refused in the cell of the connection, those that have left it
 * included.
 */
export function closingGates(db: Database): Promise<number[]> {
  return db.column<number>(sql`select workspace_id from move_gate where part = 'closing'`)
}
