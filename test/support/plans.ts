/**
 * Plans of statements as a young connection makes and keeps them: explained as they are executed,
 * rolled back, and checked by the rows they read.
 */
import assert from 'node:assert/strict'
import pg from 'pg'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import { createDatabase, type Database } from '../../src/database/client/database.ts'
import { sql, type Statement } from '../../src/database/client/sql.ts'
import { plannerSamples } from '../../src/database/schema/planner-samples.ts'
import { runOn } from './database.ts'

export interface Planned {
  act: string
  statement: Statement
}

/** Each act by its name, as its verb asks for it. */
export type Acts = Record<string, (db: Connection) => Promise<unknown>>

/**
 * Every statement that the acts would run: the verbs are given a database that only writes down
 * what it is asked, and answers these rows.
 */
export async function statementsOf(acts: Acts, answer: object[] = []): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const [act, run] of Object.entries(acts)) {
    const note = recording((statement) => {
      planned.push({ act, statement })
      return answer
    })
    await run({
      ...note,
      transaction: (work) => work(note),
      pipeline: () => note,
      load: () => ({ open: 0, idle: 0, waiting: 0 }),
      primary: () => null,
      pauseStatements: () => Promise.resolve(),
      moveTo: () => undefined,
      release: () => undefined,
      end: () => Promise.resolve(),
    })
  }
  return planned
}

/**
 * A database that hands its statements over instead of running them; a statement that always
 * answers a row answers an empty one.
 */
export function recording(note: (statement: Statement) => object[]): Database {
  const db = createDatabase((statement) => Promise.resolve({ rows: note(statement), rowCount: 1 }))
  return {
    ...db,
    column: async <Value>(statement: Statement) =>
      (await db.rows(statement)).map(() => null as Value),
    onlyRow: async <Row>(statement: Statement) => ((await db.row<Row>(statement)) ?? {}) as Row,
    onlyValue: async <Value>(statement: Statement) => (await db.value<Value>(statement)) as Value,
  }
}

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Filter?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

export const scansOf = (node: PlanNode): PlanNode[] => [
  ...(node['Relation Name'] && node['Node Type'].includes('Scan') ? [node] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]

/**
 * The blocks that the largest part of a plan read: writing parts that nothing refers to run after
 * the plan's own end.
 */
export const blocksOf = (plan: PlanNode): number =>
  Math.max(
    (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    ...(plan.Plans ?? []).map(blocksOf),
  )

function literal(value: unknown): string {
  const text = asText(value)
  if (text === null) return 'null'
  return Buffer.isBuffer(text) ? `'\\x${text.toString('hex')}'` : pg.escapeLiteral(text)
}

/** As the client library writes a value that is bound. */
function asText(value: unknown): string | Buffer | null {
  if (value === null || value === undefined || Buffer.isBuffer(value)) return value ?? null
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  const entries = value.map((entry: unknown) => {
    const text = asText(entry)
    if (text === null) return 'NULL'
    return Buffer.isBuffer(text)
      ? `"\\\\x${text.toString('hex')}"`
      : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${entries.join()}}`
}

const oids = { bool: 16, int2: 21, int4: 23, jsonb: 3802, uuid: 2950 }

/**
 * Reads an array in PostgreSQL's binary form (src/database/client/binary-arrays.ts); each element
 * as its text.
 */
function readArray(bytes: Buffer): (string | null)[] {
  const oid = bytes.readInt32BE(8)
  let index = 20
  return Array.from({ length: bytes.readInt32BE(12) }, () => {
    const length = bytes.readInt32BE(index)
    index += 4
    if (length < 0) return null
    const element = bytes.subarray(index, index + length)
    index += length
    if (oid === oids.bool) return element[0] === 1 ? 't' : 'f'
    if (oid === oids.int2 || oid === oids.int4) return String(element.readIntBE(0, length))
    if (oid === oids.uuid) return element.toString('hex')
    return element.toString('utf8', oid === oids.jsonb ? 1 : 0)
  })
}

/**
 * One connection that caches its plans: a statement is prepared once, then explained as it is
 * executed, and undone. It has the settings of the service's connections, and no pool that closes
 * it while tables are filled.
 */
export class Session {
  readonly #url: string
  readonly #prepared = new Set<string>()
  #opened: Promise<pg.Client> | null = null

  constructor(url: string) {
    this.#url = url
  }

  /** Executes the statement, and undoes what it did. */
  explain(statement: Statement): Promise<PlanNode> {
    return this.#explain('analyze, buffers, timing off', statement)
  }

  /** Makes the plan that later executions use. */
  async plan(statement: Statement): Promise<void> {
    await this.#explain('costs off', statement)
  }

  async #explain(options: string, { text, values, name }: Statement): Promise<PlanNode> {
    const client = await (this.#opened ??= openAsService(this.#url))
    if (!this.#prepared.has(name)) await client.query(`prepare "${name}" as ${text}`)
    this.#prepared.add(name)
    const bound = values.map((value, index) =>
      Buffer.isBuffer(value) && new RegExp(`\\$${index + 1}::\\w+\\[\\]`).test(text)
        ? readArray(value)
        : value,
    )
    const args = bound.length > 0 ? `(${bound.map(literal).join(', ')})` : ''
    await client.query('begin')
    try {
      const line = `explain (${options}, format json) execute "${name}"${args}`
      const { rows } = await client.query<Record<'QUERY PLAN', [{ Plan: PlanNode }]>>(line)
      return rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail('no plan')
    } finally {
      await client.query('rollback')
    }
  }

  async end(): Promise<void> {
    await (await this.#opened)?.end()
  }
}

async function openAsService(url: string): Promise<pg.Client> {
  const service = connect({ connectionString: url, poolSize: 1 })
  const settings = await service.rows<{ name: string; setting: string }>(sql`
    select name, setting from pg_settings where source = 'client' and name not like '%timeout'`)
  await service.end()
  const options = settings.map(({ name, setting }) => `-c ${name}=${setting}`).join(' ')
  const client = new pg.Client({ connectionString: url, options })
  // A database that a test drops ends it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Hot statements of one area, and the rows that they read in an installation that has been used for
 * a while.
 */
export interface PlannedArea {
  acts: Acts
  /** Fields of every kind of row: the acts read the ones that they need. */
  answer: object
  /** How many rows the fullest tables have. */
  rows: number
  /** The tables that have many rows. */
  big: readonly string[]
  /** How many rows of one of them an act may read. */
  readMax: (act: string, table: string) => number
  /** On empty tables, before statements are planned. */
  prepare: string
  /** The rows that come afterwards. */
  fill: readonly string[]
}

/** The limits of a plan: the big tables, and how many rows of one of them an act may read. */
export interface Reason {
  big: ReadonlySet<string>
  readMax: PlannedArea['readMax']
}

/** A partition counts as its table. */
const tableOf = (relation: string): string =>
  relation.replace(/_(?:default|(?:to|\d{8})_\d{8})$/, '')

export function checkPlan(act: string, plan: PlanNode, { big, readMax }: Reason): void {
  for (const scan of scansOf(plan)) {
    const table = tableOf(scan['Relation Name'] ?? '')
    if (!big.has(table)) continue
    const what = `${act}: ${scan['Node Type']} on ${table} by ${scan['Index Name'] ?? 'nothing'} (${scan['Index Cond'] ?? scan['Recheck Cond'] ?? ''} | ${scan.Filter ?? ''})`
    const read =
      (scan['Actual Loops'] ?? 0) *
      ((scan['Actual Rows'] ?? 0) +
        (scan['Rows Removed by Filter'] ?? 0) +
        (scan['Rows Removed by Index Recheck'] ?? 0))
    if (scan['Node Type'] === 'Seq Scan') assert.fail(what)
    assert.ok(read <= readMax(act, table), `${what} read ${read} rows`)
  }
}

/** A statement: no autovacuum counts these tables while a test looks at their plans. */
export const withoutAutovacuum = (tables: readonly string[]): string => `
  do $$ declare name text; begin
    for name in select c.relname from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relkind = 'r' and coalesce(i.inhparent, c.oid) = any ('{${tables.join()}}'::regclass[]::oid[])
    loop
      execute format('alter table %I set (autovacuum_enabled = false)', name);
    end loop;
  end $$`

const sampled = Object.keys(plannerSamples).join()

/**
 * Commands that delete the planner's statistics, each as its statements; the next start completes
 * them.
 */
export const plannerLosses = {
  'VACUUM FULL': [`vacuum full ${sampled}`],
  'VACUUM ANALYZE': ['vacuum analyze'],
  // As pg_restore leaves it: rows and indexes, and no statistics.
  'a restored copy': [
    `vacuum full ${sampled}`,
    `delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
  ],
}

/** Autovacuum counts them within a minute of their fiftieth change. It reaches the others late. */
export async function tablesWithoutSample(url: string): Promise<string[]> {
  const { rows } = await runOn(
    url,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return rows.map(({ name }) => String(name)).filter((name) => !(name in plannerSamples))
}
