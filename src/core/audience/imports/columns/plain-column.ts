/**
 * Whether pages may offer a column as a new field before its user chooses. A column with a target is
 * no status any more, and who left would be subscribed: what may be one stays without a target.
 */
import { indicationOf, isStatusHeader, meaningOf } from './status-words.ts'

/** `values`: the first of the file; a column that is empty there shows nothing of what it is. */
export const isPlainColumn = ({ header, values }: { header: string; values: string[] }): boolean =>
  !isStatusHeader(header) &&
  indicationOf(header) === undefined &&
  values.some((value) => value !== '') &&
  values.every((value) => meaningOf(value) === undefined)
