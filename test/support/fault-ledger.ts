/**
 * Checks the state after crashes: the ledger against the referee's mails, with a sentence for each
 * broken promise.
 */
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { passesLater } from '../../src/database/client/database-errors.ts'
import type { RefereeMail } from './referee-sink.ts'
import { comes } from './until.ts'

export interface LedgerRow {
  messageId: string
  email: string
  messageIdHeader: string
  state: string
  status: string
  error: string | null
  doubts: number
  attempts: number
  fence: number
}

export function readLedger(db: Connection, workspaceId: number): Promise<LedgerRow[]> {
  return db.rows<LedgerRow>(sql`
    select r.message_id, r.email, m.message_id as message_id_header, r.state, r.status, r.error, r.doubts, r.attempts, r.fence
    from recipient r join message m on m.workspace_id = r.workspace_id and m.id = r.message_id
    where r.workspace_id = ${workspaceId} order by r.message_id, r.position`)
}

/**
 * Waits until nothing is pending or leased any more; answers what is, when that takes longer than a
 * wait may.
 */
export async function unfinishedRows(
  db: Connection,
  workspaceId: number,
  withinMs?: number,
): Promise<string[]> {
  let open: OpenRows[] = []
  const isSettled = async (): Promise<boolean> => {
    // Connections of an earlier fault may still be taken.
    open = await openRows(db, workspaceId).catch((error: unknown) => {
      if (!passesLater(error)) throw error
      return [{ state: 'unknown', rows: 0, later: 0 }]
    })
    return open.length === 0
  }
  const count = (): number => open.reduce((sum, { rows }) => sum + rows, 0)
  if (await comesToNone(isSettled, count, withinMs)) return []
  return open.map(
    ({ state, rows, later }) =>
      `${rows} rows are still ${state}; ${later} of them have a later next_at`,
  )
}

/** Whether it comes to none. A slow machine may take as long as it gets on. */
export async function comesToNone(
  isNone: () => Promise<boolean>,
  count: () => number,
  withinMs?: number,
): Promise<boolean> {
  for (let before = Infinity; ; before = count()) {
    if (await comes(isNone, withinMs)) return true
    if (count() >= before) return false
  }
}

interface OpenRows {
  state: string
  rows: number
  later: number
}

/**
 * A leased row with a later next_at is held, and its lease renewed or not yet over; a pending one
 * is postponed.
 */
export const openRows = (db: Connection, workspaceId: number): Promise<OpenRows[]> =>
  db.rows<OpenRows>(sql`
    select state, count(*) as rows, count(*) filter (where next_at > facteur_now()) as later from recipient
    where workspace_id = ${workspaceId} and state in ('pending', 'leased') group by state`)

/**
 * Nothing lost, nothing doubled in silence (semantics 2). Each recipient is expected in one row
 * only, and each row settled or in doubt by now.
 */
export function checkMails(rows: LedgerRow[], mails: RefereeMail[]): string[] {
  const copies = Map.groupBy(mails, (mail) => mail.to.join(' '))
  const known = new Set(rows.map((row) => row.email))
  const unknown = [...copies.keys()]
    .filter((to) => !known.has(to))
    .map((to) => `a mail to ${to} has no row`)
  return [...unknown, ...rows.flatMap((row) => checkRow(row, copies.get(row.email) ?? []))]
}

function checkRow(row: LedgerRow, copies: RefereeMail[]): string[] {
  const name = `${row.email} (${row.state}, ${row.status}, ${row.doubts} doubts, error ${row.error ?? 'none'})`
  const wrong: string[] = []
  if (copies.length === 0 && (row.status === 'sent' || row.status === 'delivered'))
    wrong.push(`lost: ${name} is called sent, the referee has nothing`)
  else if (copies.length === 0 && row.doubts === 0)
    wrong.push(`lost: ${name} has not arrived and nobody doubts it`)
  if (copies.length > 1 + row.doubts)
    wrong.push(`doubled in silence: ${name} arrived ${copies.length} times`)
  if (new Set(copies.map(({ bytes }) => bytes.toString('base64'))).size > 1)
    wrong.push(`other bytes: the copies of ${name} differ`)
  if (copies.some(({ bytes }) => messageIdOf(bytes) !== row.messageIdHeader))
    wrong.push(`another Message-ID: ${name}`)
  return wrong
}

function messageIdOf(bytes: Buffer): string | undefined {
  return /^message-id:\s*<([^>]+)>/im.exec(bytes.toString('latin1'))?.[1]
}

/** The total debit of the workspace. */
export async function debited(db: Connection, workspaceId: number): Promise<number> {
  const [row] = await db.rows<{ used: number }>(sql`
    select coalesce(sum(used), 0)::int8 as used from quota_usage where workspace_id = ${workspaceId}`)
  return row?.used ?? 0
}
