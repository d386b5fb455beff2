/** Reads a filter of the audience, and seeks its contacts on the connections of segments. */
import type { Condition } from '../../../contract/segments.ts'
import type { ContactFilter } from '../../../contract/workspace/audience-list.ts'
import type { Database } from '../../../database/client/database.ts'
import type { Sought } from '../../../db/audience/segments/audience-pages.ts'
import type { CallContext } from '../../context.ts'
import { shapeError } from '../../input/shape-error.ts'
import { readNeedle } from '../../search-text.ts'
import { joinDefinitions } from './join-definitions.ts'
import { readDefinition } from './read-definition.ts'
import { readSelected } from './select-contacts.ts'

/** What status, segment and definition are together. Throws `validation_error`. */
export const definitionOf = (
  ctx: { db: Database; workspaceId: number },
  { definition = '', ...filter }: ContactFilter,
): Promise<Condition> =>
  joinDefinitions(ctx, {
    ...filter,
    definition: definition === '' ? undefined : readDefinition(parse(definition)),
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw shapeError([{ path: 'definition', rule: 'type', expected: 'object' }])
  }
}

/** `at`: the instant that days are counted back from; absent: now. */
export async function seek<T>(
  ctx: Pick<CallContext, 'segmentDb' | 'workspaceId' | 'left'>,
  { written, q, at, seconds, read }: Seeking<T>,
): Promise<T> {
  const needle = readNeedle(ctx.workspaceId, q)
  return readSelected(ctx, {
    ...{ written, at, seconds },
    read: (tx, selection) => read(tx, { selection, needle }),
  })
}

interface Seeking<T> {
  /** By `definitionOf`: what a caller names by it is what is read. */
  written: Condition
  q: string | undefined
  at?: Date | undefined
  seconds: number
  read: (tx: Database, sought: Sought) => Promise<T>
}
