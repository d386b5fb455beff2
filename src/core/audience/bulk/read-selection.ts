/** Reads which contacts a change of many is for. */
import type { InputOf } from '../../../contract/operations.ts'
import type { Condition } from '../../../contract/segments.ts'
import type { Database } from '../../../database/client/database.ts'
import { shapeError } from '../../input/shape-error.ts'
import { joinDefinitions } from '../segments/join-definitions.ts'
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
export async function readSelection(
  ctx: { db: Database; workspaceId: number },
  { ids, matching }: InputOf<'eraseContacts'>['body']['selection'],
): Promise<ReadSelection> {
  if ((ids === undefined) === (matching === undefined))
    throw shapeError([{ path: 'selection', rule: 'one_selection' }])
  if (ids !== undefined) return { ids }
  const path = 'selection.matching'
  const { definition, segment, status, ...filter } = matching ?? {}
  const written = await joinDefinitions(ctx, {
    ...{ status, segment, path: `${path}.segment` },
    definition:
      definition === undefined ? undefined : readDefinition(definition, `${path}.definition`),
  })
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '')
  return { written, filter: isFiltered ? { ...filter, status } : null }
}
