/** Presents a change of contacts with its progress. */
import type { AnswerOf } from '../../../contract/operations.ts'
import { leftOutReasons } from '../../../contract/workspace/bulk-changes.ts'
import type { BulkChangeRow } from '../../../db/audience/bulk/bulk-changes.ts'

export function presentBulkChange(row: BulkChangeRow): AnswerOf<'tagContacts'>['body'] {
  const { id, action, parameters, state, contacts, done, changed, leftOut, stopping } = row
  return {
    object: 'bulk_change',
    ...{ id, action, state, contacts, done, changed, stopping },
    contact: parameters.address ?? parameters.contact ?? null,
    email: parameters.address ?? row.email,
    tag: parameters.tag ?? null,
    field: parameters.field ?? null,
    value: parameters.value ?? null,
    waits_seconds: row.waitsSeconds,
    left_out: leftOutReasons.flatMap((reason) => {
      const count = leftOut[reason] ?? 0
      return count === 0 ? [] : [{ reason, contacts: count }]
    }),
    by: row.userEmail,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  }
}
