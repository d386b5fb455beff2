/** The connection to PostgreSQL: a pool, statements as tagged templates (prepared by their text), and transactions. */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg, { type Pool, type QueryResult } from 'pg'
import { DatabaseClient, isConnectionError } from './database-client.ts'
import { createPipeline } from './pipeline.ts'
import { NoPrimaryError, watchServers } from './servers.ts'
import { currentOf, isStale, renewIfStale } from './stale-plans.ts'

/** One prepared statement with its values. Built by `sql` only, so no value is ever part of a text. */
export interface Statement {
  name: string
  text: string
  values: unknown[]
  /** Longest wait for the answer, in milliseconds, when it differs from the pool's. */
  query_timeout?: number
}

/**
 * Runs statements: the pool, or a transaction. First parameter of every function in `db/`. Callers declare the rows and
 * values: the declaration stands beside the SQL that makes it true.
 */
export interface Database {
  /** Runs one statement; the other functions read its result. */
  ask(statement: Statement): Promise<Pick<QueryResult, 'rows' | 'rowCount'>>
  rows<Row>(statement: Statement): Promise<Row[]>
  /** The first row; null without one. */
  row<Row>(statement: Statement): Promise<Row | null>
  /** The row of a statement that always answers one; rejects without it. */
  onlyRow<Row>(statement: Statement): Promise<Row>
  /** The first column of each row. */
  column<Value>(statement: Statement): Promise<Value[]>
  /** The first column of the first row; null without one. */
  value<Value>(statement: Statement): Promise<Value | null>
  /** The first column of a statement that always answers one row; rejects without it. */
  onlyValue<Value>(statement: Statement): Promise<Value>
  /** Number of rows the statement touched. */
  count(statement: Statement): Promise<number>
  /** Whether the statement touched a row. */
  changes(statement: Statement): Promise<boolean>
}

/** A pool that can also open transactions and listen. */
export interface Connection extends Database {
  /**
   * Runs `work` between BEGIN and COMMIT; rolls back when it throws. It repeats it where a migration has changed the result of one
   * of its statements, and for nothing else: see `retrying`.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
  /**
   * Statements over one connection, each sent without waiting for the previous one. For statements that would wait
   * for each other's rows.
   */
  pipeline(): Database
  /** The pool now: open connections, idle ones, and callers that wait for one. */
  load(): { open: number; idle: number; waiting: number }
  /** Keeps later statements back, and resolves when those under way have ended, also those of transactions. */
  hold(): Promise<void>
  /** From now on, statements go to another database that is a copy of this one. For a connection that is held. */
  moveTo(connectionString: string): void
  /** Lets the statements go that were kept back. */
  release(): void
  /** Closes the pool after the statements under way. */
  end(): Promise<void>
}

/** The SQLSTATE of an error of the database; null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** Whether a new try of the same transaction may pass: serialization failure, deadlock. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '')

/**
 * Whether the connection was lost or refused, so that the last statement may or may not be committed. That is an
 * error of the socket or of the host's name, or a SQLSTATE by which the server ends or refuses connections.
 */
export function lostConnection(error: unknown): boolean {
  if (error instanceof NoPrimaryError) return true
  const state = sqlState(error)
  if (state !== null) return state.startsWith('08') || endsConnections.has(state) || refusesConnections(error)
  if (!(error instanceof Error) || error instanceof TypeError) return false
  return isConnectionError(error)
    ? connectionCodes.test(`${codeOf(error)} ${error.message}`)
    : connectionWords.test(error.message)
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

/** The server stops, crashed, starts or dropped the database; a session was idle or a transaction open for too long (PostgreSQL, appendix A). */
const endsConnections = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04'])

/**
 * ALTER DATABASE … ALLOW_CONNECTIONS false. SQLSTATE 55000 has other, lasting meanings, and the server may use any
 * language. The name of the routine that checks the database at the connection identifies this one.
 */
const refusesConnections = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55000' && error.routine === 'CheckMyDatabase'

/** pg's own words for a connection that is gone. */
const connectionWords = /Connection terminated|timeout exceeded|not queryable|Query read timeout/

const connectionCodes = new RegExp(
  `ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|${connectionWords.source}`,
)

/**
 * Whether the same statement may pass a little later: the connection was lost, two transactions met, or one of
 * `passing`.
 */
export function passesLater(error: unknown): boolean {
  return lostConnection(error) || isRetryable(error) || passing.has(sqlState(error) ?? '')
}

/**
 * The server is short of resources, disk, memory or connections (53000 to 53300, not 53400: a limit that was configured
 * stays). A lock or the statement's time ran out (55P03, 57014). The server is read-only until a failover ends (25006).
 */
const passing = new Set(['53000', '53100', '53200', '53300', '55P03', '57014', '25006'])

/** The server takes no writes any more: its connections close, and the next one finds the primary. Not a refusal of our own triggers. */
const isReadOnlyServer = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.code === '25006' && error.routine !== 'exec_stmt_raise'

/** Repeats the work while its error says that repeating helps, at most five times within a second. */
export async function retrying<T>(work: () => Promise<T>, helps: (error: unknown) => boolean = isRetryable): Promise<T> {
  for (let waitMs = 0; ; waitMs = waitMs * 2 + 20) {
    try {
      return await work()
    } catch (error) {
      if (waitMs > 600 || !helps(error)) throw error
      await setTimeout(waitMs)
    }
  }
}

/** A part that several statements share: its texts, and the values at the places between them. */
export class Fragment {
  readonly texts: readonly string[]
  readonly values: unknown[]
  constructor(texts: readonly string[], values: unknown[]) {
    this.texts = texts
    this.values = values
  }

  /** Of a fragment without values. */
  get text(): string {
    return this.texts.join('')
  }
}

/** A part of statements. Its numbers and fragments are constants of ours: they become part of the text. */
export const fragment = (parts: TemplateStringsArray, ...constants: (number | Fragment)[]): Fragment =>
  part(parts, ...constants.map((constant) => (constant instanceof Fragment ? constant : new Fragment([String(constant)], []))))

/** A part of statements with values: each becomes a parameter of the statement, and a fragment stands as if it were written there. */
export function part(parts: TemplateStringsArray, ...given: unknown[]): Fragment {
  const texts: string[] = []
  const values: unknown[] = []
  let open = parts[0] ?? ''
  given.forEach((value, index) => {
    const inner = value instanceof Fragment ? value : new Fragment(['', ''], [value])
    for (const text of inner.texts.slice(0, -1)) {
      texts.push(open + text)
      open = ''
    }
    open += `${inner.texts.at(-1)}${parts[index + 1]}`
    values.push(...inner.values)
  })
  return new Fragment([...texts, open], values)
}

/**
 * Rows as a list, with a column for each of the named properties, an absent value as null: `unnest($1::uuid[],
 * $2::text[]) as n (id, first_name)`. `ordinality` names a further column, the row's position from 1 on.
 */
export function rowList<Row extends object>(
  rows: readonly Row[],
  name: string,
  properties: { readonly [Type in ColumnType]?: readonly (keyof Row & string)[] },
  ordinality?: string,
): Fragment {
  const typed = Object.entries(properties).flatMap(([type, keys]) => keys.map((key) => ({ type, key })))
  const columns = typed.map(({ key }) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  if (ordinality !== undefined) columns.push(ordinality)
  const end = `)${ordinality === undefined ? '' : ' with ordinality'} as ${name} (${columns.join(', ')})`
  const texts = typed.map(({ type }, index) => `::${type}[]${index === typed.length - 1 ? end : ', '}`)
  const values = typed.map(({ key }) => rows.map((row) => row[key] ?? null))
  return new Fragment(['unnest(', ...texts], values)
}

type ColumnType = 'boolean' | 'smallint' | 'int' | 'bigint' | 'float8' | 'text' | 'uuid' | 'timestamptz' | 'bytea' | 'jsonb'

/** Columns as a part of statements: constants of ours, which become part of the text. A text that is no column is refused. */
export function columnList(columns: readonly string[]): Fragment {
  const strange = columns.find((column) => !/^(?:[a-z]\.)?[a-z_]+(?: as "[A-Za-z]+")?$/.test(column))
  if (strange !== undefined) throw new Error(`Not a column: ${strange}`)
  return new Fragment([columns.join(', ')], [])
}

/** A statement: each `${value}` becomes a parameter, but for fragments; the text alone decides the prepared statement's name. */
export function sql(parts: TemplateStringsArray, ...given: unknown[]): Statement {
  const known = knownStatements.get(parts)
  // Most statements hold the same fragments in every call, so that their text need not be built again.
  if (known?.texts.every((texts, index) => isSame(texts, given[index])))
    return { name: known.name, text: known.text, values: valuesOf(given) }
  const { texts, values } = part(parts, ...given)
  const text = texts.reduce((before, after, index) => `${before}$${index}${after}`)
  const name = statementNames.get(text) ?? createHash('sha1').update(text).digest('base64url').slice(0, 20)
  statementNames.set(text, name)
  knownStatements.set(parts, { name, text, texts: given.map((value) => (value instanceof Fragment ? value.texts : null)) })
  return { name, text, values }
}

/** `texts`: those of the fragment that stood there before; null for a value. */
const isSame = (texts: readonly string[] | null, value: unknown): boolean =>
  value instanceof Fragment
    ? value.texts === texts || (value.texts.length === texts?.length && value.texts.every((text, index) => text === texts[index]))
    : texts === null

const valuesOf = (given: unknown[]): unknown[] => given.flatMap((value) => (value instanceof Fragment ? value.values : [value]))

const knownStatements = new WeakMap<TemplateStringsArray, { name: string; text: string; texts: (readonly string[] | null)[] }>()

/** By text: there are as many as places that make statements. */
const statementNames = new Map<string, string>()

/**
 * Allows the next statements of this transaction more time, and plans that read whole lists: for the few that change
 * a whole list at once. They join by hashes. Right after an import, PostgreSQL has no statistics and expects one row
 * in the list, so it would read the list again for each row of the other.
 */
export async function allowSweeps(tx: Database, timeoutMs: number): Promise<(statement: Statement) => Statement> {
  await tx.rows(sql`
    select set_config('statement_timeout', ${String(timeoutMs)}, true), set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
      set_config('enable_nestloop', 'off', true), set_config('work_mem', '64MB', true)`)
  return (statement) => ({ ...statement, query_timeout: timeoutMs + 5_000 })
}

/** Receives the result of statements, so that an outage is noticed where it happens. */
export interface DatabaseWatch {
  /** A statement or a transaction succeeded. */
  answered(): void
  /** A statement was lost with its connection, or had no connection. */
  lost(error: unknown): void
}

export interface ConnectOptions {
  watch?: DatabaseWatch
  connectionString: string
  /** Largest number of connections. Default 10. */
  poolSize?: number
  /** Longest a statement may run, in milliseconds. Default 15,000. */
  statementTimeoutMs?: number
  applicationName?: string
  /** False: commits do not wait for the disk. Only for data that a crash may lose. */
  durable?: boolean
  /** Receives errors of idle or broken connections; the pool replaces these itself. */
  onError?: (error: Error) => void
}

/** Opens the pool. It connects at the first statement. */
export function connect(options: ConnectOptions): Connection {
  const { statementTimeoutMs = 15_000, onError = () => undefined } = options
  // int8 as a JavaScript number: our counters and identities stay far below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const settings = {
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'facteur',
    keepAlive: true,
    pipeline: true,
    options: sessionOptions(options.durable !== false),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 5_000,
    lock_timeout: Math.min(10_000, statementTimeoutMs),
    idle_in_transaction_session_timeout: 30_000,
  }
  // Without a listener on both, a terminated backend ends our process.
  let ended = false
  let stopWatching = (): void => undefined
  const open = (connectionString: string): Pool => {
    const opened = new pg.Pool({ ...settings, connectionString, Client: DatabaseClient })
    stopWatching = watchServers(connectionString)
    // A closing connection may still receive the server's error before it is gone; no caller waits for it.
    const report = (error: Error): void => {
      if (!ended && opened === pool) onError(error)
    }
    opened.on('error', report)
    opened.on('connect', (client) => client.on('error', report))
    return opened
  }
  let pool = open(options.connectionString)
  let held: { over: Promise<void>; end: () => void } | null = null
  const unheld = <T>(work: () => Promise<T>): Promise<T> => (held === null ? work() : held.over.then(() => unheld(work)))
  const watched = watching(options.watch)
  return {
    ...createDatabase((statement) => unheld(() => watched(renewing(statement, (current) => pool.query(current))))),
    transaction: (work) => unheld(() => watched(repeatingStale(() => inTransaction(pool, work)))),
    pipeline() {
      const over = createPipeline(() => pool)
      return createDatabase((statement) =>
        unheld(() => watched(renewing(statement, (current) => over((client) => client.query(current))))),
      )
    },
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async hold() {
      if (held === null) {
        const { promise: over, resolve: end } = Promise.withResolvers<void>()
        held = { over, end }
      }
      while (pool.waitingCount > 0 || pool.totalCount > pool.idleCount) await setTimeout(drainPauseMs)
    },
    moveTo(connectionString) {
      const former = pool
      stopWatching()
      pool = open(connectionString)
      former.end().catch(() => undefined)
    },
    release() {
      held?.end()
      held = null
    },
    end() {
      ended = true
      stopWatching()
      held?.end()
      held = null
      return pool.end()
    },
  }
}

/** How often it looks whether the last statements have ended. */
const drainPauseMs = 5

/**
 * Generic plans that do not depend on the tables' contents: every statement uses its indexes, row by row. A plan made
 * while the tables were empty must still be right when they hold millions. Planning once also saves more time than
 * execution takes (docs/decisions/0007).
 */
function sessionOptions(durable: boolean): string {
  const settings = {
    synchronous_commit: durable ? 'on' : 'off',
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

function watching(watch: DatabaseWatch | undefined): <T>(work: Promise<T>) => Promise<T> {
  if (!watch) return (work) => work
  // One of our own refusals may end a transaction whose connection is gone: only a success shows that the database
  // answers.
  const failed = (error: unknown): void => {
    if (lostConnection(error)) watch.lost(error)
  }
  // Handled before the callers' own handlers, so that they see an outage as known.
  return (work) => {
    work.then(() => watch.answered(), failed)
    return work
  }
}

/** A database whose statements run by `ask`. */
export function createDatabase(ask: Database['ask']): Database {
  const rows = async <Row>(statement: Statement): Promise<Row[]> => (await ask(statement)).rows as Row[]
  const row = async <Row>(statement: Statement): Promise<Row | null> => (await rows<Row>(statement))[0] ?? null
  const onlyRow = async <Row>(statement: Statement): Promise<Row> => {
    const [only] = await rows<Row>(statement)
    if (only === undefined) throw new Error(`A statement answered no row: ${statement.text}`)
    return only
  }
  const count = async (statement: Statement): Promise<number> => (await ask(statement)).rowCount ?? 0
  return {
    ...{ ask, rows, row, onlyRow, count },
    column: async <Value>(statement: Statement) => (await rows<object>(statement)).map(firstColumn) as Value[],
    value: async <Value>(statement: Statement) => firstColumn((await row<object>(statement)) ?? { none: null }) as Value | null,
    onlyValue: async <Value>(statement: Statement) => firstColumn(await onlyRow<object>(statement)) as Value,
    changes: async (statement) => (await count(statement)) > 0,
  }
}

const firstColumn = (row: object): unknown => Object.values(row)[0]

/** Outside a transaction, a stale statement is asked once more. */
function renewing<T>(statement: Statement, ask: (current: Statement) => Promise<T>): Promise<T> {
  const asked = currentOf(statement)
  return ask(asked).catch((error: unknown) => {
    if (!renewIfStale(error, asked)) throw error
    return ask(currentOf(statement))
  })
}

/** Within one, the transaction has failed with it, and is repeated as a whole. */
function renewingLater<T>(statement: Statement, ask: (current: Statement) => Promise<T>): Promise<T> {
  const asked = currentOf(statement)
  return ask(asked).catch((error: unknown) => {
    renewIfStale(error, asked)
    throw error
  })
}

/** Several of its statements may be stale, one after the other. */
const staleMax = 10

async function repeatingStale<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isStale(error) || tries === staleMax) throw error
    }
  }
}

async function inTransaction<T>(pool: Pool, work: (tx: Database) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(createDatabase((statement) => renewingLater(statement, (current) => client.query(current))))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure))
    if (isReadOnlyServer(error)) broken = error
    throw error
  } finally {
    client.release(broken)
  }
}
