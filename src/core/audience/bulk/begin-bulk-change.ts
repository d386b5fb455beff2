/**
 * Begins a change of many contacts: freezes whom it is for, and leaves the rest to a worker. Who
 * matches later is not touched.
 */
import { ApiError, existing } from '../../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../../contract/operations.ts'
import type { ActName } from '../../../contract/audit-actions.ts'
import { bulkLimits } from '../../../contract/workspace/bulk-limits.ts'
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  bulkChangeById,
  countBulkChanges,
  insertBulkChange,
  startBulkChange,
  type BulkAction,
  type BulkParameters,
} from '../../../db/audience/bulk/bulk-changes.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { CallContext } from '../../context.ts'
import { readInTurn } from '../segments/in-turn.ts'
import { dropFrozen } from './drop-frozen.ts'
import { freezeSelection } from './freeze-selection.ts'
import { presentBulkChange } from './present-bulk-change.ts'
import { readSelection } from './read-selection.ts'

const { freezeSecondsMax, unfinishedMax, exportsMax, downloadMinutes, waitSeconds } = bulkLimits

interface NewBulkChange {
  action: BulkAction
  selection: InputOf<'eraseContacts'>['body']['selection']
  parameters?: BulkParameters
  /** How many contacts the member confirmed. */
  expected?: number | undefined
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
const waitOf = (action: BulkAction): number =>
  action === 'unsubscribe' || action === 'erase' ? waitSeconds : 0

/**
 * Throws `conflict` where as many changes go on as a workspace may have, where finding the contacts
 * takes too long, or where it finds another number than `expected`.
 */
export async function beginBulkChange(
  ctx: CallContext,
  change: NewBulkChange,
): Promise<AnswerOf<'tagContacts'>['body']> {
  const { workspaceId } = ctx
  const id = ctx.makeId()
  const contacts = await freeze(ctx, id, change)
  if (change.action !== 'export')
    await start(ctx, { id, action: change.action, contacts, parameters: change.parameters ?? {} })
  ctx.wake('bulk')
  return presentBulkChange(existing(await bulkChangeById(ctx.db, workspaceId, id), { id }))
}

/** Before the work of a freeze. Changes that begin at the same time are counted once more at `start`. */
async function checkRoom(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  action: BulkAction,
): Promise<void> {
  const { unfinished, exports } = await countBulkChanges(db, workspaceId, downloadMinutes)
  if (action !== 'export' && unfinished >= unfinishedMax) throw tooManyChanges()
  if (action === 'export' && exports >= exportsMax)
    throw new ApiError('conflict', {
      ...{ reason: 'bulk_exports', limit: exportsMax, minutes: downloadMinutes },
    })
}

const tooManyChanges = (): ApiError =>
  new ApiError('conflict', { reason: 'bulk_changes', limit: unfinishedMax })

async function freeze(
  ctx: CallContext,
  id: string,
  { action, selection, parameters = {}, expected }: NewBulkChange,
): Promise<number> {
  const selected = await readSelection(ctx, selection)
  await checkRoom(ctx, action)
  const freezeIn = async (tx: Database): Promise<number> => {
    const contacts = await freezeSelection({ ...ctx, db: tx }, { id, selected })
    if (expected !== undefined && contacts !== expected)
      throw new ApiError('conflict', { reason: 'selection_changed', contacts })
    const userEmail = ctx.user?.email ?? ''
    await insertBulkChange(tx, ctx.workspaceId, { id, action, parameters, contacts, userEmail })
    if (action === 'export') await audit(tx, ctx, { id, action, contacts, parameters })
    return contacts
  }
  // Contacts by identifier are found at once.
  const slots = 'ids' in selected ? 'short' : 'long'
  return readInTurn(ctx, { seconds: freezeSecondsMax, slots, read: freezeIn })
}

/**
 * By itself and short: a running change writes the same due row after each batch, and a freeze of
 * one moment that met such a write would have to find all contacts again.
 */
async function start(ctx: CallContext, frozen: Frozen): Promise<void> {
  const { id, action } = frozen
  const isBegun = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const change = { id, unfinishedMax, waitSeconds: waitOf(action) }
      const isStarted = await startBulkChange(tx, ctx.workspaceId, change)
      if (isStarted) await audit(tx, ctx, frozen)
      else await dropFrozen(tx, ctx.workspaceId, { id, among: null })
      return isStarted
    }),
  )
  if (!isBegun) throw tooManyChanges()
}

interface Frozen {
  id: string
  action: BulkAction
  contacts: number
  parameters: BulkParameters
}

/** How many, which tag or field, and nobody by name. */
const audit = (
  tx: Database,
  ctx: CallContext,
  { id, action, contacts, parameters: { tag, field } }: Frozen,
): Promise<void> =>
  recordAuditEntry(tx, ctx, {
    ...{ act: audited[action], subject: '' },
    details: {
      id,
      contacts,
      ...(tag !== undefined && { tag }),
      ...(field !== undefined && { field }),
    },
  })
