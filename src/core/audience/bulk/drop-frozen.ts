/** Deletes frozen contacts of a change: those that are worked off, or all once it has ended. */
import type { Database } from '../../../database/client/database.ts'
import { deleteFrozen } from '../../../db/audience/bulk/bulk-contacts.ts'

/** A statement for a million contacts would reach its time limit. */
const max = 100_000

export async function dropFrozen(
  tx: Database,
  workspaceId: number,
  frozen: { id: string; among: string[] | null },
): Promise<void> {
  while ((await deleteFrozen(tx, workspaceId, { ...frozen, max })) === max);
}
