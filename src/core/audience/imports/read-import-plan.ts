/**
 * Validates a user's choices for an import: each target once, one column for the address, valid
 * fields, and whether confirmations can be sent.
 */
import type { ImportPlan } from '../../../contract/workspace/imports.ts'
import { undefinedFields, fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import { limits } from '../../../contract/limits.ts'
import type { FilePlan } from '../../../db/audience/subscriber-files.ts'
import type { CallContext } from '../../context.ts'
import { shapeError } from '../../input/shape-error.ts'
import { refuseControls } from '../../input/check-values.ts'
import { fieldKeyOf, isColumnTarget, untyped, type ColumnTarget } from './columns/import-columns.ts'
import { readConsentWords } from '../consent/read-consent-words.ts'
import { refusalOfAsker } from '../subscribers/add-subscriber.ts'
import { tooManyFields } from '../subscribers/read-subscriber.ts'
import { findAsker } from '../consent/send-confirmation.ts'

/** Throws the refusals. */
export async function readPlan(
  ctx: CallContext,
  {
    targets,
    tags,
    consent,
    status_words: statusWords = [],
    tag_separators: tagSeparators = null,
  }: ImportPlan,
): Promise<FilePlan> {
  readTargets(targets)
  tags.forEach((tag, index) => refuseControls(tag, `tags.${index}`))
  await checkFields(ctx, targets)
  if (consent === null) await checkAsking(ctx)
  return {
    targets,
    tags: [...new Set(tags)],
    consent: readConsentWords(consent),
    statusWords,
    tagSeparators,
  }
}

/** Reads the targets of the columns, which were validated when they were chosen. */
export function readTargets(targets: (string | null)[]): (ColumnTarget | null)[] {
  const known = new Set<string>()
  const read = targets.map((target, column) => {
    if (target === null) return null
    if (!isColumnTarget(target)) throw shapeError([{ path: `targets.${column}`, rule: 'target' }])
    if (known.has(untyped(target)))
      throw shapeError([{ path: `targets.${column}`, rule: 'target_twice' }])
    known.add(untyped(target))
    return target
  })
  if (!known.has('email')) throw shapeError([{ path: 'targets', rule: 'target_email' }])
  return read
}

async function checkFields(ctx: CallContext, targets: (string | null)[]): Promise<void> {
  const keys = targets.flatMap((target) => fieldKeyOf(target ?? '') ?? [])
  const fresh = await undefinedFields(ctx.db, ctx.workspaceId, keys)
  if (
    fresh.length > 0 &&
    fresh.length + (await fieldKeysOf(ctx.db, ctx.workspaceId)).length > limits.fieldsMax
  )
    throw tooManyFields()
}

async function checkAsking(ctx: CallContext): Promise<void> {
  const asker = await findAsker(ctx, ctx.db, ctx.workspaceId)
  if ('refusal' in asker) throw refusalOfAsker(asker)
}
