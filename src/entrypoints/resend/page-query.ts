/** Reads the query of Resend's lists, which go on `after` an entry. */
import { shapeError } from '../../core/input/shape-error.ts'

/** Our query; `goesOn`: what ours calls it. Throws `validation_error` for `before`. */
export function pageQuery(
  { limit, after, before }: Record<string, string>,
  goesOn: 'after' | 'cursor',
): Record<string, string> {
  if (before !== undefined)
    throw shapeError([{ path: 'before', rule: 'not_supported' }], 'resend_before')
  return { ...(limit !== undefined && { limit }), ...(after !== undefined && { [goesOn]: after }) }
}
