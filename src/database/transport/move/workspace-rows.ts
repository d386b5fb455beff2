/**
 * Passes the rows of one workspace from the tables of a cell to those of another, and deletes what
 * is left behind.
 */
import pg from 'pg'
import { changedRows, createRowDigest, type CountedRows } from '../row-digest.ts'
import { quoted } from '../table-shapes.ts'
import { isKeyOf } from '../change-capture.ts'
import { columnsOf, type CopiedTable } from '../copied-tables.ts'
import { inTransactionOf } from '../copy-client.ts'
import { passRows, readRows } from '../copy-rows.ts'

/** Keys that one statement names, and rows that one deletes. */
const keysAtOnce = 2_000
const deletedAtOnce = 5_000

interface OfWorkspace {
  workspaceId: number
  table: CopiedTable
}

/**
 * Within the transaction: no trigger of the new cell computes from these rows what another table of
 * them holds already, no order of tables matters, and triggers that refuse changes of the old cell
 * let the rows go. On a cluster, the nodes are told.
 */
export const inMovingTransaction = <T>(client: pg.Client, work: () => Promise<T>): Promise<T> =>
  inTransactionOf(client, 'begin', async () => {
    await client.query('set local session_replication_role = replica')
    return work()
  })

/** Answers how many there are. */
export async function countRows(
  client: pg.ClientBase,
  { workspaceId, table }: OfWorkspace,
): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from ${quoted(table.name)} where workspace_id = ${workspaceId}`,
  )
  return Number(rows[0]?.count)
}

export async function hasRowsOf(
  client: pg.ClientBase,
  { workspaceId, table }: OfWorkspace,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1 from ${quoted(table.name)} where workspace_id = ${workspaceId} limit 1`,
  )
  return rowCount !== 0
}

/** Answers how many rows passed. The target has none of them before. */
export function copyRowsOf(
  { from, to }: { from: pg.Client; to: pg.Client },
  {
    workspaceId,
    table,
    onBytes,
    signal,
  }: OfWorkspace & { onBytes(bytes: number): void; signal: AbortSignal },
): Promise<number> {
  const columns = columnsOf(table.columns)
  return inMovingTransaction(to, () =>
    passRows({
      ...{ from, to, onBytes, signal },
      source: `(select ${columns} from ${quoted(table.name)} where workspace_id = ${workspaceId})`,
      target: `${quoted(table.name)} (${columns})`,
    }),
  )
}

/**
 * Deletes the rows, a part at a time, so that others write in between. Each part is the next range
 * of the primary key: a planner that has not counted the table since it was filled would compare
 * each row with a list of keys, or read all rows for each part.
 */
export async function deleteRowsOf(
  client: pg.Client,
  {
    workspaceId,
    table,
    onRows,
    signal,
  }: OfWorkspace & { onRows(rows: number): void; signal: AbortSignal },
): Promise<void> {
  const [name, key] = [quoted(table.name), columnsOf(table.key.map((column) => column.name))]
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce;) {
    signal.throwIfAborted()
    deleted = await inMovingTransaction(client, async () => {
      await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off')
      const { rowCount } = await client.query(
        `delete from ${name} where workspace_id = ${workspaceId} and (${key}) <= (
           select ${key} from (
             select ${key}
             from ${name}
             where workspace_id = ${workspaceId}
             order by ${key}
             limit ${deletedAtOnce}) part
           order by (${key}) desc limit 1)`,
      )
      return rowCount ?? 0
    })
    onRows(deleted)
  }
}

/** Counts the rows, and computes their digest. */
export async function digestRowsOf(
  client: pg.ClientBase,
  { workspaceId, table, signal }: OfWorkspace & { signal: AbortSignal },
): Promise<CountedRows> {
  const digest = createRowDigest()
  const source = `(
    select ${columnsOf(table.columns)} from ${quoted(table.name)}
    where workspace_id = ${workspaceId})`
  await readRows(client, { source, digest, signal })
  return digest.end()
}

/**
 * Brings the target to the moment of a snapshot of the source, in which `from` is. The digests
 * follow. Answers how many rows have changed; `forget` takes what was applied out of the log, in
 * the source's transaction.
 */
export async function applyChangesOf(
  { from, to }: { from: pg.Client; to: pg.Client },
  {
    workspaceId,
    tables,
    digests,
  }: {
    workspaceId: number
    tables: readonly CopiedTable[]
    digests?: Map<string, CountedRows> | undefined
  },
): Promise<number> {
  let rows = 0
  await inMovingTransaction(to, async () => {
    const { rows: changed } = await from.query<{ name: string }>(
      'select distinct table_name as name from move_change where workspace_id = $1',
      [workspaceId],
    )
    for (const table of tables.filter(({ name }) => changed.some((item) => item.name === name))) {
      for await (const keys of changedKeysOf(from, { workspaceId, table })) {
        rows += keys.length
        await replaceRows({ from, to }, { table, keys, digests })
      }
    }
  })
  await from.query('delete from move_change where workspace_id = $1', [workspaceId])
  return rows
}

async function* changedKeysOf(
  from: pg.Client,
  { workspaceId, table }: OfWorkspace,
): AsyncGenerator<string[][]> {
  await from.query(
    `declare changed_keys no scroll cursor for
     select distinct key from move_change where workspace_id = ${workspaceId} and table_name = '${table.name}'`,
  )
  for (;;) {
    const { rows } = await from.query<{ key: string[] }>(`fetch ${keysAtOnce} from changed_keys`)
    if (rows.length > 0) yield rows.map(({ key }) => key)
    if (rows.length < keysAtOnce) break
  }
  await from.query('close changed_keys')
}

/**
 * A change that is applied twice changes nothing: the target's own rows are deleted, whatever they
 * are. The workspace stands in each key, and nowhere else: a plan would read all its rows for each
 * key.
 */
async function replaceRows(
  { from, to }: { from: pg.Client; to: pg.Client },
  {
    table,
    keys,
    digests,
  }: { table: CopiedTable; keys: string[][]; digests?: Map<string, CountedRows> | undefined },
): Promise<void> {
  const [name, columns] = [quoted(table.name), columnsOf(table.columns, 't')]
  // Literals: a cluster refuses the cast of a column to a time in a DELETE.
  const values = table.key.map(
    ({ type }, at) => `${arrayOf(keys.map((key) => String(key[at])))}::${type}[]`,
  )
  const list = `unnest(${values.join(', ')}) k (${table.key.map((_, at) => `k${at}`).join(', ')})`
  const result = `(select ${columns} from ${name} t join ${list} on ${isKeyOf(table)})`
  const [left, came] = [createRowDigest(), createRowDigest()]
  const known = digests?.get(table.name)
  if (known) await readRows(to, { source: result, digest: left })
  await to.query(`delete from ${name} t using ${list} where ${isKeyOf(table)}`)
  await passRows({
    from,
    to,
    source: result,
    target: `${name} (${columnsOf(table.columns)})`,
    digest: came,
  })
  if (known) digests?.set(table.name, changedRows(known, { left: left.end(), came: came.end() }))
}

const arrayOf = (values: readonly string[]): string =>
  pg.escapeLiteral(
    `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join()}}`,
  )
