/**
 * These functions word a refusal for a user: its code and its details, without what only programs
 * need.
 */
import i18next, { type ParseKeys, type TFunction } from 'i18next'
import { sayDate } from '../say-date.ts'
import { Refusal } from './refusal.ts'
import { sayProblems } from './field-problem.ts'

type Say = TFunction

/** Returns one sentence for an error, in the reader's language. */
export function sayWhat(error: unknown, t: Say): string {
  if (!(error instanceof Refusal)) return t('ourFailure')
  if (error.code === 'unreachable' || error.message === '') return t('unreachable')
  const expired = sayExpired(error, t)
  if (expired !== null) return expired
  const own = sentences[error.code]
  return sayReason(error, t) ?? (own ? t(own) : error.message)
}

/** The pages replace sentences of the service that are meant for programs. */
const sentences: Record<string, ParseKeys | undefined> = {
  validation_error: 'notTaken',
  not_found: 'gone',
  rate_limit_exceeded: 'tooFast',
}

/** Says when an object expired that was stored once; null for any other refusal. */
function sayExpired({ details: { reason, expiredAt } }: Refusal, t: Say): string | null {
  if ((reason !== 'expired' && reason !== 'expired_earlier') || typeof expiredAt !== 'string')
    return null
  return t('expiredOn', {
    day: sayDate(new Date(expiredAt), i18next.language, { dateStyle: 'long' }),
  })
}

/** Returns the lines below the sentence; none where the sentence suffices. */
export function sayMore(error: unknown, t: Say): string[] {
  if (!(error instanceof Refusal) || sayReason(error, t) !== null || sayExpired(error, t) !== null)
    return []
  return lines[error.code]?.(error, t) ?? []
}

const lines: Record<string, (refusal: Refusal, t: Say) => string[]> = {
  validation_error: sayProblems,
  not_found: (_refusal, t) => [t('goneWhy')],
  rate_limit_exceeded: ({ details }, t) => [
    t('tooFastUntil', { count: Number(details['retry_after']) || 60 }),
  ],
  quota_exceeded: ({ details: { needed, remaining } }, t) => [
    t('quotaLeft', { needed, remaining }),
  ],
  suppressed_recipient: ({ details }, t) =>
    itemsOf(details['recipients']).map(
      ({ email, reason }) =>
        `${String(email)}: ${t(`suppressedBy_${String(reason)}`, { defaultValue: String(reason) })}`,
    ),
  unverified_from_domain: ({ details }) => [String(details['from'])],
  // The mail server's answer is the reason.
  send_failed: ({ details }) => [String(details['reason'])],
}

const itemsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []

/**
 * Says how the user can mend a refusal, by its reason and its operation. Null where the pages have
 * no words for the reason: then the refusal's own message stands.
 */
function sayReason(error: Refusal, t: Say): string | null {
  const reason = reasonOf(error)
  if (reason === null) return null
  // `why_running_importSuppression`, and `why_running` where that is not there.
  return (
    t(`why_${reason}`, { ...error.details, context: error.operation, defaultValue: '' }) || null
  )
}

/** For other codes, `reason` is a server's answer or the reason of a suppression. */
const named = new Set(['conflict', 'validation_error', 'internal_error'])

function reasonOf({ code, details: { reason, status } }: Refusal): string | null {
  if (!named.has(code)) return null
  if (typeof reason === 'string') return reason
  return code === 'conflict' && status !== undefined ? 'state' : null
}
