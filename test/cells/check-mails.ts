/** What a workspace has sent while it, or its cell, moved: each mail once in the sink, and each accepted call in the ledger of its cell. */
import assert from 'node:assert/strict'
import { connect } from '../../src/db/connection/connect.ts'
import { addressOf, whatIsNotSent } from '../support/fault-campaign.ts'
import { readLedger, whatDoesNotSettle } from '../support/fault-ledger.ts'
import type { World } from '../support/fault-world.ts'

export interface SentMails {
  /** Of the cell that has the workspace now. */
  schema: string
  /** Recipients of calls by the id that a 202 gave. */
  accepted: ReadonlyMap<string, string>
  campaignId: string
  /** Recipients of the campaign. */
  people: number
}

/** Waits until everything has left. */
export async function checkMailsOf(world: World, { schema, accepted, campaignId, people }: SentMails): Promise<void> {
  const db = connect({ connectionString: world.url, schema, poolSize: 1 })
  try {
    assert.deepEqual(await whatIsNotSent({ ...world, db }, campaignId, 300_000), [])
    assert.deepEqual(await whatDoesNotSettle(db, world.workspaceId, 60_000), [])
    const expected = [...accepted.values(), ...Array.from({ length: people }, (_, n) => addressOf(n + 1))].toSorted()
    const recipients = world.mails().flatMap(({ to }) => to)
    assert.deepEqual(recipients.toSorted(), expected)
    const ledger = await readLedger(db, world.workspaceId)
    assert.deepEqual(new Set(ledger.map(({ messageId }) => messageId)), new Set(accepted.keys()))
  } finally {
    await db.end()
  }
}
