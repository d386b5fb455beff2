/** Reads which contacts a change is for. */
import type { InputOf } from '../../../contract/operations.ts'
import type { Condition } from '../../../contract/segments.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { CallContext } from '../../context.ts'
import { shapeError } from '../../input/shape-error.ts'
import { findContact } from '../contacts/find-contact.ts'
import { isKnown } from '../contacts/is-known.ts'
import { joinDefinitions } from '../segments/join-definitions.ts'
import { readDefinition } from '../segments/read-definition.ts'
import type { AudienceFilter } from '../subscribers/search-subscribers.ts'

/**
 * Contacts by identifier, one who is no subscriber, or all that a definition selects and the list's
 * filter finds.
 */
export type ReadSelection =
  | { ids: string[] }
  | { address: string }
  | {
      written: Condition
      /** Null where the definition says everything. */
      filter: AudienceFilter | null
    }

/** The one subscriber that the change is for; null where it is for others. */
export const onlyId = (selected: ReadSelection): string | null =>
  'ids' in selected && new Set(selected.ids).size === 1 ? (selected.ids[0] ?? null) : null

/**
 * Throws `validation_error` unless exactly one part selects, and `not_found` for an address of which
 * nothing is known.
 */
export async function readSelection(
  ctx: Pick<CallContext, 'db' | 'workspaceId'>,
  { ids, matching, address }: InputOf<'eraseContacts'>['body']['selection'],
): Promise<ReadSelection> {
  if ([ids, matching, address].filter((part) => part !== undefined).length !== 1)
    throw shapeError([{ path: 'selection', rule: 'one_selection' }])
  if (ids !== undefined) return { ids }
  if (address !== undefined) return readAddress(ctx, address)
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

async function readAddress(
  ctx: Pick<CallContext, 'db' | 'workspaceId'>,
  address: string,
): Promise<ReadSelection> {
  const { email, subscriber } = await findContact(ctx, address)
  if (subscriber) return { ids: [subscriber.id] }
  if (!(await isKnown(ctx, email))) throw new ApiError('not_found', { email })
  return { address: email }
}
