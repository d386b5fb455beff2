/**
 * Hints between processes that a lane has work: a notification wakes the others early, and work is
 * found without it too.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { DatabaseClient } from '../client/database-client.ts'
import type { Clock } from '../../ground/clock.ts'
import { cellsWakeUp, CHANNEL, homeCell } from './cell-changes.ts'

/** `Word`: what processes tell each other. */
export interface WakeUps<Word extends string> {
  /** What wakes the workers of this process; null while there are none. */
  local: ((hint: Word, cell: number) => void) | null
  /**
   * Makes what wakes those of a cell: here at once, in the other processes soon. Calls within a
   * moment share one notification, because each commit of one locks the whole database.
   */
  wakeIn(cell: number): (hint: Word) => void
  /** From now on, it listens at another database. */
  moveTo(connectionString: string): void
  close(): Promise<void>
}

/** PostgreSQL refuses 8,000 bytes and more, and all hints of that notification would be lost. */
const NOTIFICATION_BYTES_MAX = 7_900
/** How long hints are gathered, and how long to wait before it connects again, in milliseconds. */
const GATHER_MS = 25
const REDIAL_MS = 1_000

/**
 * Listens on a connection of its own and connects again when that breaks. Hints sent in between are
 * lost, which is allowed.
 */
export function openWakeUps<Word extends string>({
  connectionString: firstly,
  forOthers,
  ...options
}: {
  connectionString: string
  clock: Clock
  /** The word that this process does not tell itself. */
  forOthers: Word
  /** A cell was added, or a workspace moved: see `announceCells()`. */
  onCells: () => void
  /** Another process says this, whether workers run here or not. */
  onWakeUp?: (hint: Word) => void
}): WakeUps<Word> {
  let connectionString = firstly
  const closing = new AbortController()
  // A random id instead of the process's number, which is the same in each container.
  const me = randomUUID()
  const gathered = new Set<string>()
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null

  const send = (): void => {
    timer = null
    const texts = notifications(me, gathered)
    gathered.clear()
    // In one commit.
    client
      ?.query('select pg_notify($1, told) from unnest($2::text[]) as told', [CHANNEL, texts])
      .catch(() => undefined)
  }
  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      client = await listenOnce({ ...options, hints, connectionString, me }).catch(() => null)
      if (closing.signal.aborted) break
      if (client) await ended(client)
      client = null
      await options.clock.sleep(REDIAL_MS, closing.signal).catch(() => undefined)
    }
  }
  const hints: WakeUps<Word> = {
    local: null,
    wakeIn: (cell) => (hint) => {
      if (hint !== forOthers) hints.local?.(hint, cell)
      gathered.add(cell === homeCell.id ? hint : `${hint}@${cell}`)
      timer ??= setTimeout(send, GATHER_MS)
    },
    moveTo(other) {
      connectionString = other
      client?.end().catch(() => undefined)
    },
    async close() {
      closing.abort()
      if (timer) clearTimeout(timer)
      await client?.end().catch(() => undefined)
      await listening
      await client?.end().catch(() => undefined)
    },
  }
  const listening = listen()
  return hints
}

/** The hints behind the process that says them, in as few texts as they fit in. Hints are ASCII. */
function notifications(me: string, hints: Iterable<string>): string[] {
  const texts: string[] = []
  let text = me
  for (const hint of hints) {
    if (text.length + 1 + hint.length > NOTIFICATION_BYTES_MAX) {
      texts.push(text)
      text = me
    }
    text += ` ${hint}`
  }
  return [...texts, text]
}

async function listenOnce<Word extends string>(options: {
  connectionString: string
  me: string
  hints: Pick<WakeUps<Word>, 'local'>
  onCells: () => void
  onWakeUp?: (hint: Word) => void
}): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: options.connectionString,
    application_name: 'facteur hints',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  })
  client.on('notification', ({ payload = '' }) => {
    const [from, ...hints] = payload.split(' ')
    // This process woke its own loops at once.
    if (from === options.me) return
    for (const notified of hints) {
      const [hint, cell = homeCell.id] = notified.split('@')
      if (hint === cellsWakeUp) options.onCells()
      else {
        options.onWakeUp?.(hint as Word)
        options.hints.local?.(hint as Word, Number(cell))
      }
    }
  })
  await client.connect()
  await client.query(`listen ${CHANNEL}`)
  // What was said while nobody listened.
  options.onCells()
  return client
}

const ended = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => client.once('end', () => resolve()))
