/** The connection to PostgreSQL: a pool, its settings, and its transactions. */
import { setTimeout } from 'node:timers/promises'
import pg, { type Pool, type QueryResult } from 'pg'
import { queryRows } from './camel-case-rows.ts'
import { createDatabase, type Database } from './database.ts'
import { DatabaseClient } from './database-client.ts'
import { brokenBy, isReadOnlyServer, lostConnection } from './database-errors.ts'
import { createPipeline } from './pipeline.ts'
import { homeSchema, ofOtherCell } from './search-path.ts'
import { serversOf, watchServers, type Primary } from './servers.ts'
import { planForCitus, sessionOptions } from './session-settings.ts'
import type { Statement } from './sql.ts'
import { currentOf, isStale, renewIfStale } from './stale-plans.ts'

/** A pool that can also open transactions and listen. */
export interface Connection extends Database {
  /**
   * Runs `work` between BEGIN and COMMIT; rolls back when it throws. It repeats it where a
   * migration has changed the result of one of its statements, and for nothing else: see
   * `retrying`.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>
  /**
   * Statements over one connection, each sent without waiting for the previous one. For statements
   * that would wait for each other's rows.
   */
  pipeline(): Database
  /** The pool now: open connections, idle ones, and callers that wait for one. */
  load(): { open: number; idle: number; waiting: number }
  /** Null if no connection was made yet. */
  primary(): Primary | null
  /**
   * Keeps later statements back, and resolves when those under way have ended, also those of
   * transactions.
   */
  pauseStatements(): Promise<void>
  /**
   * From now on, statements go to another database that is a copy of this one. For a connection
   * that is held.
   */
  moveTo(connectionString: string): void
  /** Lets the statements go that were kept back. */
  release(): void
  /** Closes the pool after the statements under way. */
  end(): Promise<void>
}

/** Receives the result of statements, so that an outage is noticed where it happens. */
export interface DatabaseWatch {
  /** Whether statements were lost, and none has succeeded since. */
  readonly isAway: boolean
  /** A statement or a transaction succeeded: told while it is away. */
  answered(): void
  /** A statement was lost with its connection, or had no connection. */
  lost(error: unknown): void
}

export interface ConnectOptions {
  watch?: DatabaseWatch
  connectionString: string
  /**
   * The schema of a cell: a name finds its table, and a global one otherwise. Absent, or `public`:
   * the server's own setting.
   */
  schema?: string
  /** Largest number of connections. Default 10. */
  poolSize?: number
  /** Longest a statement may run, in milliseconds. Default 15,000. */
  statementTimeoutMs?: number
  applicationName?: string
  /** False means commits do not wait for the disk. Only for data that a crash may lose. */
  durable?: boolean
  /** False, in a broken variant of the sweep: it waits for a server that says nothing more. */
  noticesSilence?: boolean
  /** Receives errors of idle or broken connections; the pool replaces these itself. */
  onError?: (error: Error) => void
}

/** Opens the pool. It connects at the first statement. */
export function connect(options: ConnectOptions): Connection {
  const { statementTimeoutMs = 15_000, noticesSilence = true, onError = () => undefined } = options
  // int8 as a JavaScript number: our counters and identities stay far below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const settings = {
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'facteur',
    keepAlive: noticesSilence,
    pipeline: true,
    options: sessionOptions(options),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    ...(noticesSilence && { query_timeout: statementTimeoutMs + 5_000 }),
    lock_timeout: Math.min(10_000, statementTimeoutMs),
    idle_in_transaction_session_timeout: 30_000,
  }
  // Without a listener on both, a terminated backend ends our process.
  const isOther = options.schema !== undefined && options.schema !== homeSchema
  const placed = (statement: Statement): Statement => (isOther ? ofOtherCell(statement) : statement)
  let ended = false
  let stopWatching = (): void => undefined
  let servers = serversOf(options.connectionString)
  const open = (connectionString: string): Pool => {
    servers = serversOf(connectionString)
    const opened = new pg.Pool({ ...settings, connectionString, Client: DatabaseClient })
    stopWatching = watchServers(connectionString)
    // A closing connection may still receive the server's error before it is gone; no caller waits
    // for it.
    const report = (error: Error): void => {
      if (!ended && opened === pool) onError(error)
    }
    opened.on('error', report)
    opened.on('connect', (client) => {
      client.on('error', report)
      if (isOther) client.query(planForCitus).catch(report)
    })
    return opened
  }
  let pool = open(options.connectionString)
  let pause: { over: Promise<void>; end: () => void } | null = null
  const { watch } = options
  /** It may be held again meanwhile. */
  const letGo = (): Promise<void> => (pause === null ? Promise.resolve() : pause.over.then(letGo))
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (pause !== null) await letGo()
    try {
      const result = await work()
      // One of our own refusals may end a transaction whose connection is gone: only a success
      // shows that the database answers.
      if (watch?.isAway) watch.answered()
      return result
    } catch (error) {
      // Before the callers see the error, so that they see an outage as known.
      if (watch && lostConnection(error)) watch.lost(error)
      throw error
    }
  }
  /** A stale statement is asked once more. */
  const ask = (
    statement: Statement,
    by: (current: Statement) => Promise<QueryResult>,
  ): Promise<QueryResult> =>
    run(async () => {
      const requested = currentOf(placed(statement))
      try {
        return await by(requested)
      } catch (error) {
        if (!renewIfStale(error, requested)) throw error
        return by(currentOf(placed(statement)))
      }
    })
  return {
    ...createDatabase((statement) => ask(statement, (current) => askOn(pool, current))),
    transaction: (work) => run(() => repeatingStale(() => inTransaction(pool, placed, work))),
    pipeline() {
      const over = createPipeline(() => pool)
      return createDatabase((statement) =>
        ask(statement, (current) => over((client) => queryRows(client, current))),
      )
    },
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    primary: () => servers.last(),
    async pauseStatements() {
      if (pause === null) {
        const { promise: over, resolve: end } = Promise.withResolvers<void>()
        pause = { over, end }
      }
      while (pool.waitingCount > 0 || pool.totalCount > pool.idleCount)
        await setTimeout(drainPauseMs)
    },
    moveTo(connectionString) {
      const former = pool
      stopWatching()
      pool = open(connectionString)
      former.end().catch(() => undefined)
    },
    release() {
      pause?.end()
      pause = null
    },
    end() {
      ended = true
      stopWatching()
      pause?.end()
      pause = null
      return pool.end()
    },
  }
}

/** How often it looks whether the last statements have ended. */
const drainPauseMs = 5

/**
 * The pool's own `query` closes the connection after every error: a refusal would cost a new one,
 * and all that it has prepared.
 */
async function askOn(pool: Pool, statement: Statement): Promise<QueryResult> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    return await queryRows(client, statement)
  } catch (error) {
    broken = brokenBy(error)
    throw error
  } finally {
    client.release(broken)
  }
}

/** The transaction has failed with a stale statement, and is repeated as a whole. */
function renewingLater<T>(
  statement: Statement,
  ask: (current: Statement) => Promise<T>,
): Promise<T> {
  const requested = currentOf(statement)
  return ask(requested).catch((error: unknown) => {
    renewIfStale(error, requested)
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

async function inTransaction<T>(
  pool: Pool,
  placed: (statement: Statement) => Statement,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(
      createDatabase((statement) =>
        renewingLater(placed(statement), (current) => queryRows(client, current)),
      ),
    )
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
