/** Defines custom fields at their first use, up to the workspace's limit. */
import { limits } from '../../../contract/limits.ts'
import type { Database } from '../../../database/client/database.ts'
import { lockFields, makeFields, undefinedFields } from '../../../db/audience/subscriber-fields.ts'
import { tooManyFields } from '../subscribers/read-subscriber.ts'

/**
 * Defines the new ones of the keys in the caller's transaction; throws `validation_error` beyond
 * the limit.
 */
export async function defineFields(
  tx: Database,
  workspaceId: number,
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return
  const fresh = await undefinedFields(tx, workspaceId, keys)
  if (fresh.length === 0) return
  await lockFields(tx, workspaceId)
  if ((await makeFields(tx, workspaceId, fresh)) > limits.fieldsMax) throw tooManyFields()
}
