/**
 * Defines the refusals that an operation can give, and their `details` (spec: Errors; semantics 4).
 */
import { errorBody, errorKinds, type ErrorCode, type ErrorDetails } from './errors.ts'
import { asJson, type Json } from './json-schema.ts'
import type { Operation } from './operation.ts'

/** The refusals of any call with a key. */
export const keyErrors = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
] as const satisfies readonly ErrorCode[]

/** The refusals of any call. */
export const callErrors = [
  'rate_limit_exceeded',
  'internal_error',
] as const satisfies readonly ErrorCode[]

/** All codes of an operation, by rising status. */
export function errorsOf({ scope, errors }: Operation): ErrorCode[] {
  const codes = [...(scope === 'none' ? [] : keyErrors), ...errors, ...callErrors]
  return codes.toSorted((a, b) => errorKinds[a].status - errorKinds[b].status)
}

/** An example of each code's details. */
const detailsExamples: Record<ErrorCode, ErrorDetails> = {
  missing_api_key: {},
  invalid_api_key: {},
  revoked_api_key: {},
  insufficient_scope: { required: 'emails:send', scopes: ['subscribers:read'] },
  reputation_blocked: {
    hand_offs: 500,
    bounces: 31,
    complaints: 0,
    bounce_rate: 0.062,
    complaint_rate: 0,
  },
  quota_exceeded: {
    plan: 'default',
    limit: 10_000,
    used: 9_999,
    remaining: 1,
    needed: 3,
    resets_at: '2026-12-01T00:00:00.000Z',
  },
  not_found: { id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40' },
  method_not_allowed: { method: 'GET', allowed: ['POST'] },
  conflict: { id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', status: 'sent', reason: 'not_scheduled' },
  idempotency_key_reused: { key: 'order-1042' },
  validation_error: {
    path: 'subject',
    rule: 'maxLength',
    limit: 998,
    errors: [{ path: 'subject', rule: 'maxLength', limit: 998 }],
  },
  unverified_from_domain: { from: 'hello@elsewhere.example', verifiedDomains: ['example.com'] },
  suppressed_recipient: {
    recipients: [{ email: 'camille@example.com', reason: 'unsubscribe', scope: 'organization' }],
    email: 'camille@example.com',
    reason: 'unsubscribe',
  },
  rate_limit_exceeded: { limit: 600, retry_after: 12 },
  send_failed: {
    id: '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    reason: '550 5.7.1 refused',
    recipients: [{ email: 'camille@example.com', error: '550 5.7.1 refused' }],
  },
  internal_error: {},
  not_signed_in: {},
  wrong_credentials: {},
  second_factor_required: {},
  foreign_origin: {},
  insufficient_role: { required: 'editor', role: 'viewer' },
  fresh_sign_in_required: { within_minutes: 15 },
  link_not_valid: {},
}

/** An example of the code's whole error body, in English. */
export const errorExample = (code: ErrorCode): Json =>
  asJson(errorBody(code, detailsExamples[code], 'en'))

/** The names of the fields in each code's details. */
export const detailsFields: Record<string, string[]> = Object.fromEntries(
  Object.entries(detailsExamples).map(([code, details]) => [code, Object.keys(details)]),
)
