/**
 * Begins a change of many contacts: freezes whom it is for, and leaves the rest to a worker. Who
 * matches later is not touched.
 */
import { ApiError, existing } from '../../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { ActName } from '../../../contract/audit-actions.ts'
import { bulkLimits } from '../../../contract/workspace/bulk-limits.ts'
import { retrying } from '../../../database/client/retrying.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import {
  bulkChangeById,
  insertBulkChange,
  type BulkAction,
  type BulkParameters,
} from '../../../db/audience/bulk/bulk-changes.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { CallContext } from '../../context.ts'
import { inTurnOfWorkspace, withinSeconds } from '../segments/in-turn.ts'
import { freezeSelection } from './freeze-selection.ts'
import { presentBulkChange } from './present-bulk-change.ts'
import { readSelection } from './read-selection.ts'

const { freezeSecondsMax, unfinishedMax, waitSeconds } = bulkLimits

interface NewBulkChange {
  action: BulkAction
  selection: InputOf<'eraseContacts'>['body']['selection']
  parameters?: BulkParameters
}

const audited = {
  tag: 'subscribers.tagged',
  untag: 'subscribers.untagged',
  set_field: 'subscribers.field_set',
  unsubscribe: 'subscribers.unsubscribed',
  erase: 'subscribers.erased',
  export: 'subscribers.exported',
} as const satisfies Record<BulkAction, ActName>

/** What is not undone waits, so that it can be stopped; an export is a file, and done at once. */
const waitOf = (action: BulkAction): number | null =>
  action === 'export' ? null : action === 'unsubscribe' || action === 'erase' ? waitSeconds : 0

/**
 * Throws `conflict` where as many changes go on as a workspace may have, or where finding the
 * contacts takes too long.
 */
export async function beginBulkChange(
  ctx: CallContext,
  { action, selection, parameters = {} }: NewBulkChange,
): Promise<AnswerOf<'tagContacts'>['body']> {
  const { workspaceId } = ctx
  const selected = readSelection(selection)
  const id = ctx.makeId()
  await inTurnOfWorkspace(ctx, () =>
    withinSeconds(freezeSecondsMax, () =>
      retrying(() =>
        ctx.segmentDb.transaction(async (tx) => {
          await readOneMoment(tx)
          const contacts = await freezeSelection({ ...ctx, db: tx }, { id, selected })
          const isBegun = await insertBulkChange(tx, workspaceId, {
            ...{ id, action, parameters, contacts, unfinishedMax, waitSeconds: waitOf(action) },
            userEmail: ctx.user?.email ?? '',
          })
          if (!isBegun)
            throw new ApiError('conflict', { reason: 'bulk_changes', limit: unfinishedMax })
          // How many, and nobody by name.
          await recordAuditEntry(tx, ctx, {
            ...{ act: audited[action], subject: '', details: { id, contacts } },
          })
        }),
      ),
    ),
  )
  ctx.wake('bulk')
  return presentBulkChange(existing(await bulkChangeById(ctx.db, workspaceId, id), { id }))
}
