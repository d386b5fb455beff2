/** Reads the facts that definitions are compiled by, before the statement that selects. */
import type { TypedField } from '../../../contract/field-types.ts'
import type { Condition } from '../../../contract/segments.ts'
import type { Database } from '../../../database/client/database.ts'
import { undatedCampaigns } from '../../../db/audience/engagement-dates.ts'
import type { DefinitionContext } from '../../../db/audience/segments/compiling.ts'
import { momentOf } from '../../../db/audience/segments/segments.ts'
import { tagSpellings } from '../../../db/audience/segments/tag-spellings.ts'
import { tagsIn } from './map-single.ts'

/** In the transaction of that statement. Its instant is now. */
export async function readContext(
  tx: Database,
  workspaceId: number,
  { fields, conditions }: { fields: ReadonlyMap<string, TypedField>; conditions: Condition[] },
): Promise<DefinitionContext> {
  const { at, timeZone } = await momentOf(tx, workspaceId)
  const tags = await tagSpellings(tx, workspaceId, tagsIn(conditions))
  const undated = await undatedCampaigns(tx, workspaceId)
  return { workspaceId, fields, at, timeZone, tags, undated }
}
