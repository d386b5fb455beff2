/**
 * Parses a well-formed SubscriberRequest: merges aliases, parses the address, and validates names,
 * tags and fields.
 */
import { limits } from '../../../contract/limits.ts'
import type { SubscriberRequest } from '../../../contract/subscribers.ts'
import { shapeError } from '../../input/shape-error.ts'
import { refuseControls } from '../../input/check-values.ts'
import { readAddressKey } from '../../suppression/list-suppression.ts'

/**
 * A parsed subscriber, independent of the spelling. Undefined means unchanged; an empty text
 * clears.
 */
export interface GivenSubscriber {
  /** The lower-cased address. */
  email: string
  firstName: string | undefined
  lastName: string | undefined
  /** Each tag once. */
  tags: string[]
  fields: Record<string, string>
}

export function readSubscriber(request: SubscriberRequest): GivenSubscriber {
  const tags = [...new Set(request.tags)]
  tags.forEach((tag, index) => refuseControls(tag, `tags.${index}`))
  return {
    email: readAddressKey(request.email, 'email'),
    firstName: readName(request, 'firstName', 'prenom'),
    lastName: readName(request, 'lastName', 'nom'),
    tags,
    fields: readFields(request.fields ?? {}),
  }
}

/** An alias and its native name may both be given when they say the same (semantics 4). */
function readName(
  request: SubscriberRequest,
  native: 'firstName' | 'lastName',
  alias: 'prenom' | 'nom',
): string | undefined {
  const [name, other] = [request[native], request[alias]]
  if (name !== undefined && other !== undefined && name !== other)
    throw shapeError([{ path: alias, rule: 'alias_differs' }])
  if (name !== undefined) refuseControls(name, native)
  if (other !== undefined) refuseControls(other, alias)
  return name ?? other
}

const keyPattern = /^[a-z][a-z0-9_]{0,59}$/

function readFields(fields: Record<string, string>): Record<string, string> {
  for (const key of Object.keys(fields)) {
    if (!keyPattern.test(key)) throw shapeError([{ path: `fields.${key}`, rule: 'field_key' }])
  }
  if (Object.keys(fields).length > limits.fieldsMax) throw tooManyFields()
  return fields
}

/** The workspace has too many custom fields for those that this call would define. */
export const tooManyFields = () =>
  shapeError([{ path: 'fields', rule: 'fields_max', limit: limits.fieldsMax }])

/** Refuses, and rolls the transaction back: the record has no room for some of the given tags. */
export function refuseTagsLeftOut(tags: readonly string[], remaining: readonly string[]): void {
  const limit = limits.subscriberTagsInAllMax
  if (!tags.every((tag) => remaining.includes(tag)))
    throw shapeError([{ path: 'tags', rule: 'tags_in_all', limit }])
}
