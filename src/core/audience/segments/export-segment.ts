/** `facteur segment export`: chooses the contacts of a segment for a file. */
import { existing } from '../../../contract/errors.ts'
import { segmentById } from '../../../db/audience/segments/segments.ts'
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import { recordAuditEntry, type Actor } from '../../audit/record-audit-entry.ts'
import type { CallContext } from '../../context.ts'
import { subscriberColumns, type SubscriberColumn } from '../subscribers/subscriber-columns.ts'
import { freezeMembers, type FrozenMembers } from './freeze-members.ts'

/** With its audit entry. Refuses what it has to before the file begins. */
export async function openSegmentExport(
  ctx: Actor & Pick<CallContext, 'db' | 'segmentDb' | 'left'>,
  id: string,
): Promise<FrozenMembers & { columns: SubscriberColumn[] }> {
  const { name, definition } = existing(await segmentById(ctx.db, ctx.workspaceId, id), { id })
  const columns = subscriberColumns(await fieldKeysOf(ctx.db, ctx.workspaceId))
  const members = await freezeMembers(ctx, definition)
  await ctx.db.transaction((tx) =>
    recordAuditEntry(tx, ctx, { act: 'segment.exported', subject: name }),
  )
  return { ...members, columns }
}
