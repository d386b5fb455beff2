/** How what was refused can be mended, in the reader's words: by the reason that the refusal names, and by what was asked for. */
import type { TFunction } from 'i18next'
import type { Refusal } from '../api/refusal.ts'

/** Null where the refusal names no reason that there are words for: its own message says it. */
export function sayReason(error: Refusal, t: TFunction<'shell'>): string | null {
  const reason = reasonOf(error)
  if (reason === null) return null
  // `why_running_importSuppression`, and `why_running` where that is not there.
  return t(`why_${reason}`, { ...error.details, context: error.operation, defaultValue: '' }) || null
}

/** For other codes, `reason` is a server's answer or the reason of a suppression. */
const named = new Set(['conflict', 'validation_error', 'internal_error'])

function reasonOf({ code, details: { reason, status } }: Refusal): string | null {
  if (!named.has(code)) return null
  if (typeof reason === 'string') return reason
  return code === 'conflict' && status !== undefined ? 'state' : null
}
