/** Builds the findings of checks, and turns errors into the operator's words. */
export { failed, passed, warned } from '../../../providers/provider-check.ts'
export type { Check } from '../../../providers/provider-check.ts'

export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

export const errorCodeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
