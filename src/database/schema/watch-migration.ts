/**
 * Describes what a long statement of a migration does now: whom it waits for, or how far an index
 * is.
 */
import pg from 'pg'

/**
 * Before the first look, and between two, in milliseconds. A wait for a lock is looked at once
 * before it times out.
 */
const pollEveryMs = 1_000

/**
 * Looks from a connection of its own, since the other one is busy, and reports each finding that
 * differs from the last. Answers the function that ends it.
 */
export function watchMigration(
  { connectionString, pid }: { connectionString: string; pid: number },
  progress: (text: string) => void,
): () => void {
  return watchFrom(connectionString, (client) => describe(client, pid), progress)
}

/** As `watchMigration`, of something else: `find` answers null where there is nothing to say. */
export function watchFrom(
  connectionString: string,
  find: (client: pg.Client) => Promise<string | null>,
  progress: (text: string) => void,
): () => void {
  let client: pg.Client | null = null
  let shown = ''
  let isPolling = false
  let isOver = false
  const poll = async (): Promise<void> => {
    if (isPolling) return
    isPolling = true
    try {
      client ??= await open(connectionString)
      const text = await find(client)
      if (text !== null && text !== shown) progress((shown = text))
    } catch {
      // Nothing depends on it.
    } finally {
      isPolling = false
      if (isOver) await client?.end().catch(() => undefined)
    }
  }
  const timer = setInterval(() => void poll(), pollEveryMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    isOver = true
    if (!isPolling) void client?.end().catch(() => undefined)
  }
}

async function open(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: 'facteur migrate',
    connectionTimeoutMillis: 2_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function describe(client: pg.Client, pid: number): Promise<string | null> {
  const { rows } = await client.query<{ pid: number; name: string; began: string }>(
    `select pid, coalesce(nullif(application_name, ''), usename, backend_type) as name,
       to_char(xact_start, 'YYYY-MM-DD HH24:MI:SS TZ') as began
     from pg_stat_activity where pid = any(pg_blocking_pids($1)) order by xact_start limit 1`,
    [pid],
  )
  const [blocking] = rows
  if (blocking)
    return `Waiting for process ${blocking.pid} of the database (${blocking.name}), in a transaction since ${blocking.began}`
  const built = await client.query<{ name: string; share: number | null }>(
    `select relid::regclass::text as name, floor(100.0 * blocks_done / nullif(blocks_total, 0))::int as share
     from pg_stat_progress_create_index where pid = $1`,
    [pid],
  )
  const [index] = built.rows
  return index
    ? `Making an index of ${index.name}, while others write: ${index.share ?? 0} %`
    : null
}
