/**
 * Begins a change of contacts: freezes whom it is for, and leaves the rest to a worker. Who matches
 * later is not touched. A change of one contact waits for no other, here and there.
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
import { onlyId, readSelection, type ReadSelection } from './read-selection.ts'

const { freezeSecondsMax, exportsMax, downloadMinutes, waitSeconds } = bulkLimits

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
  const { action, expected } = change
  const id = ctx.makeId()
  const selected = await readSelection(ctx, change.selection)
  const only = action === 'export' ? {} : onlyOf(id, selected)
  const parameters = { ...change.parameters, ...only }
  const contacts = await freeze(ctx, { id, action, parameters, selected, expected })
  if (action !== 'export') await start(ctx, { id, action, contacts, parameters })
  ctx.wake('bulk')
  return presentBulkChange(existing(await bulkChangeById(ctx.db, workspaceId, id), { id }))
}

/** Before the work of a freeze. Changes that begin at the same time are counted once more at `start`. */
async function checkRoom(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  { action, parameters }: Pick<Frozen, 'action' | 'parameters'>,
): Promise<void> {
  if (isOfOne(parameters)) return
  const { unfinished, exports } = await countBulkChanges(db, workspaceId, downloadMinutes)
  if (action !== 'export' && unfinished >= bulkLimits.unfinishedMax)
    throw tooManyChanges(parameters)
  if (action === 'export' && exports >= exportsMax)
    throw new ApiError('conflict', {
      ...{ reason: 'bulk_exports', limit: exportsMax, minutes: downloadMinutes },
    })
}

const tooManyChanges = (parameters: BulkParameters): ApiError =>
  new ApiError('conflict', {
    reason: isOfOne(parameters) ? 'bulk_changes_of_one' : 'bulk_changes',
    limit: unfinishedMaxOf(parameters),
  })

const unfinishedMaxOf = (parameters: BulkParameters): number =>
  isOfOne(parameters) ? bulkLimits.ofOneMax : bulkLimits.unfinishedMax

/** The parameters that name the one contact. */
function onlyOf(id: string, selected: ReadSelection): BulkParameters {
  if ('address' in selected) return { contact: id, address: selected.address }
  const contact = onlyId(selected)
  return contact === null ? {} : { contact }
}

const isOfOne = ({ contact }: BulkParameters): boolean => contact !== undefined

async function freeze(
  ctx: CallContext,
  { id, action, parameters, selected, expected }: NewFrozen,
): Promise<number> {
  await checkRoom(ctx, { action, parameters })
  const freezeIn = async (tx: Database): Promise<number> => {
    const contacts = await freezeSelection({ ...ctx, db: tx }, { id, selected })
    if (expected !== undefined && contacts !== expected)
      throw new ApiError('conflict', { reason: 'selection_changed', contacts })
    const userEmail = ctx.user?.email ?? ''
    await insertBulkChange(tx, ctx.workspaceId, { id, action, parameters, contacts, userEmail })
    if (action === 'export') await audit(tx, ctx, { id, action, contacts, parameters })
    return contacts
  }
  if (isOfOne(parameters)) return retrying(() => ctx.db.transaction(freezeIn))
  // Contacts by identifier are found at once.
  const slots = 'ids' in selected ? 'short' : 'long'
  return readInTurn(ctx, { seconds: freezeSecondsMax, slots, read: freezeIn })
}

/**
 * By itself and short: a running change writes the same due row after each batch, and a freeze of
 * one moment that met such a write would have to find all contacts again.
 */
async function start(ctx: CallContext, frozen: Frozen): Promise<void> {
  const { id, action, parameters } = frozen
  const unfinishedMax = unfinishedMaxOf(parameters)
  const isBegun = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const change = { id, unfinishedMax, parameters, waitSeconds: waitOf(action) }
      const isStarted = await startBulkChange(tx, ctx.workspaceId, change)
      if (isStarted) await audit(tx, ctx, frozen)
      else await dropFrozen(tx, ctx.workspaceId, { id, among: null })
      return isStarted
    }),
  )
  if (!isBegun) throw tooManyChanges(parameters)
}

interface Frozen {
  id: string
  action: BulkAction
  contacts: number
  parameters: BulkParameters
}

interface NewFrozen extends Omit<Frozen, 'contacts'>, Pick<NewBulkChange, 'expected'> {
  selected: ReadSelection
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
