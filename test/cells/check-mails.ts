/**
 * What a workspace has sent while it, or its cell, moved: each mail once in the sink, and each
 * accepted call in the ledger of its cell.
 */
import assert from 'node:assert/strict'
import { connect } from '../../src/database/client/connect.ts'
import { addressOf, whatIsNotSent } from '../support/fault-campaign.ts'
import { readLedger, unfinishedRows, type LedgerRow } from '../support/fault-ledger.ts'
import type { World } from '../support/fault-world.ts'
import type { RefereeMail } from '../support/referee-sink.ts'

export interface SentMails {
  /** Of the cell that has the workspace now. */
  schema: string
  /** Recipients of calls by the id that a 202 gave. */
  accepted: ReadonlyMap<string, string>
  campaignId: string
  /** Recipients of the campaign. */
  contacts: number
}

/** Waits until everything has left. */
export async function checkMailsOf(
  world: World,
  { schema, accepted, campaignId, contacts }: SentMails,
): Promise<void> {
  const db = connect({ connectionString: world.url, schema, poolSize: 1 })
  try {
    assert.deepEqual(await whatIsNotSent({ ...world, db }, campaignId, 300_000), [])
    assert.deepEqual(await unfinishedRows(db, world.workspaceId), [])
    const ledger = await readLedger(db, world.workspaceId)
    const expected = [
      ...accepted.values(),
      ...Array.from({ length: contacts }, (_, n) => addressOf(n + 1)),
    ]
    assert.deepEqual(notOnce(expected, { mails: world.mails(), ledger }), [])
    assert.deepEqual(new Set(ledger.map(({ messageId }) => messageId)), new Set(accepted.keys()))
  } finally {
    await db.end()
  }
}

/** In words, with what the ledger says of it. */
function notOnce(
  expected: readonly string[],
  { mails, ledger }: { mails: RefereeMail[]; ledger: LedgerRow[] },
): string[] {
  const copies = Map.groupBy(
    mails.flatMap(({ to }) => to),
    (to) => to,
  )
  const known = new Set(expected)
  const rows = new Map(ledger.map((row) => [row.email, row]))
  return [...known.union(copies)].flatMap((to) => {
    const count = copies.get(to)?.length ?? 0
    return count === 1 && known.has(to)
      ? []
      : [`${to} has ${count} mails: ${JSON.stringify(rows.get(to))}`]
  })
}
