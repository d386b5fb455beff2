/** Reads which contacts a change of many is for. */
import type { InputOf } from '../../../contract/operations.ts'
import type { Condition } from '../../../contract/segments.ts'
import { shapeError } from '../../input/shape-error.ts'
import { readDefinition } from '../segments/read-definition.ts'
import type { AudienceFilter } from '../subscribers/search-subscribers.ts'

/** Contacts by identifier, or all that a definition selects and the list's filter finds. */
export type ReadSelection =
  | { ids: string[] }
  | {
      written: Condition
      /** Null where the definition says everything. */
      filter: AudienceFilter | null
    }

/** Throws `validation_error` unless there is exactly one of both. */
export function readSelection({
  ids,
  matching,
}: InputOf<'eraseContacts'>['body']['selection']): ReadSelection {
  if ((ids === undefined) === (matching === undefined))
    throw shapeError([{ path: 'selection', rule: 'one_selection' }])
  if (ids !== undefined) return { ids }
  const { definition, status, ...filter } = matching ?? {}
  const written =
    definition === undefined
      ? { all: [] }
      : readDefinition(definition, 'selection.matching.definition')
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '')
  const ofStatus: Condition = status === undefined ? written : { all: [{ status }, written] }
  return { written: ofStatus, filter: isFiltered ? { ...filter, status } : null }
}
