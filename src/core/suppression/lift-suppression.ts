/**
 * POST /suppression/lift: a user removes an address from the list and gives a reason for the
 * audit log. API keys cannot.
 */
import { ApiError } from '../../contract/errors.ts'
import { retrying } from '../../database/client/retrying.ts'
import { shapeError } from '../input/shape-error.ts'
import type { SuppressionRow } from '../../db/suppression/suppressions.ts'
import { recordAuditEntry, type AuditEntry } from '../audit/record-audit-entry.ts'
import { refuseControls } from '../input/check-values.ts'
import { removeSuppression } from './remove-suppression.ts'
import { readAddressKey } from './list-suppression.ts'
import type { Verb } from '../verb.ts'

export const liftSuppression: Verb<'liftSuppression'> = async (ctx, { body }) => {
  const email = readAddressKey(body.email, 'email')
  const why = readLiftReason(body.reason)
  const { lifted, remaining } = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const done = await removeSuppression({ db: tx }, { workspaceId: ctx.workspaceId, email })
      if (!done) throw new ApiError('not_found', { email })
      await recordAuditEntry(tx, ctx, auditOfLift({ ...done.lifted, email }, why))
      return done
    }),
  )
  return {
    body: {
      object: 'lifted_suppression',
      email,
      was: lifted.reason,
      suppressed_by_platform: remaining !== null,
    },
  }
}

/** Throws `validation_error` for a reason of blanks. */
export function readLiftReason(text: string): string {
  const why = text.trim()
  if (why.length < 3) throw shapeError([{ path: 'reason', rule: 'minLength', limit: 3 }])
  refuseControls(why, 'reason')
  return why
}

export const auditOfLift = (
  { email, reason, createdAt }: SuppressionRow,
  why: string,
): AuditEntry => ({
  act: 'suppression.lifted',
  subject: email,
  details: { reason: why, was: reason, since: createdAt.toISOString() },
})
