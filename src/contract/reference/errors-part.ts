/**
 * Writes the reference's part on refusals: their common shape, and the meaning and remedy of each
 * code.
 */
import { apiErrorKinds, type ApiErrorCode } from '../errors.ts'
import { detailsFields, errorExample } from '../operation-errors.ts'
import { json, table } from './markdown.ts'

/** The remedy for each code. */
const mends: Record<ApiErrorCode, string> = {
  missing_api_key: 'Send the key in `Authorization` or `X-Api-Key`.',
  invalid_api_key: 'Look whether the key is whole and of this installation.',
  revoked_api_key: 'Use another key: a revoked one does not come back.',
  insufficient_scope:
    'Use a key that has the permission in `details.required`; those of a key never change.',
  reputation_blocked:
    'Stop writing to addresses that bounce; it clears by itself when the last 30 days are good again, or the operator resumes.',
  quota_exceeded: 'Wait for `details.resets_at`, or ask the operator for a larger plan.',
  not_found:
    'Look at the identifier, and whether the key is of the workspace that has the object. Where the address itself is none, `details.nearest` has the operation that is nearest; where it takes other methods, `Allow` and `details.allowed` have them.',
  conflict: 'Read the object: `details` has its state.',
  idempotency_key_reused:
    'Take a new key for each send; give the old one only to repeat the same content.',
  validation_error: 'Mend what `details.errors` lists: where, which rule, which limit.',
  unverified_from_domain:
    'Write from one of `details.verifiedDomains`, or have the domain verified.',
  suppressed_recipient:
    'Leave out the addresses in `details.recipients`. Only the person comes back, through a form.',
  rate_limit_exceeded: 'Wait as long as `Retry-After` says; nothing was done.',
  send_failed: "The provider's words are in `details.reason`. The idempotency key is free again.",
  internal_error:
    'Try again, after `Retry-After` where there is one; sends with their idempotency key. The status is 503 while the database is away, during a failover for instance.',
}

export const errorsPart = (): string => `## Errors

Every refusal has one shape and two readings: \`error\` as an object, and flat \`statusCode\`, \`message\`, \`name\` for clients that expect them.
Logic reads \`error.code\` (or \`name\`), never the text: it may be rephrased, and comes in French unless the call says
\`Accept-Language: en\` or the operator has chosen otherwise. \`details\` holds what is needed to mend the problem. Quote \`X-Request-Id\` when you ask for help.
Any call can meet 401 (but the map of the API, which needs no key), 429 and 500; the others stand with each operation.

${json(errorExample('validation_error'))}

${table(
  ['Code', 'Status', 'Meaning', 'How to mend it', 'In `details`'],
  Object.entries(apiErrorKinds).map(([code, { status, en }]) => [
    `\`${code}\``,
    String(status),
    en,
    mendOf(code),
    named(detailsFields[code] ?? []),
  ]),
)}`

const mendOf = (code: string): string =>
  Object.entries(mends).find(([name]) => name === code)?.[1] ?? ''

const named = (fields: string[]): string => fields.map((field) => `\`${field}\``).join(', ')
