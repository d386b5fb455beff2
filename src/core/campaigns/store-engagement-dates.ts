/**
 * Stores with the contacts when they last received, opened and clicked, from the details of
 * campaigns that are complete: so these dates outlive the details, and never the contact.
 */
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import {
  completeUndated,
  deleteOrphanedDates,
  endOfDetails,
  insertDates,
  markDated,
  updateDates,
} from '../../db/audience/engagement-dates.ts'

/** Contacts per statement: tens of milliseconds. */
const atOnce = 5_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Each step may be repeated: a process that stops leaves the campaign to the next round, and until
 * it is marked its details are asked.
 */
export async function storeEngagementDates(
  db: Connection,
  workspaceId: number,
  stopping: AbortSignal,
): Promise<void> {
  for (const { campaignId, receipts } of await completeUndated(db, workspaceId)) {
    for (let after: string | null = beforeAll; after !== null;) {
      if (stopping.aborted) return
      after = await storePage(db, { workspaceId, campaignId, after })
    }
    await deleteOrphanedDates(db, workspaceId)
    await markDated(db, { workspaceId, campaignId, receipts })
  }
}

/** Answers the last contact of the page; null if there was none. */
async function storePage(
  db: Database,
  from: { workspaceId: number; campaignId: string; after: string },
): Promise<string | null> {
  const upTo = await endOfDetails(db, from, atOnce)
  if (upTo === null) return null
  const page = { ...from, upTo }
  await insertDates(db, page)
  await updateDates(db, page)
  return upTo
}
