/** Prepares a definition for a statement: checks it again, and adds the facts it is read by. */
import type { Condition } from '../../../contract/segments.ts'
import type { Database } from '../../../database/client/database.ts'
import type { Selection } from '../../../db/audience/segments/segment-members.ts'
import type { CallContext } from '../../context.ts'
import { readInTurn } from './in-turn.ts'
import { readContext } from './read-context.ts'
import { resolveDefinition } from './resolve-definition.ts'

/**
 * `at`: the instant that days are counted back from. Absent means now. Throws `validation_error`
 * for a definition that names what is no longer there.
 */
export async function selectionOf(
  ctx: { db: Database; workspaceId: number },
  { written, at, path }: { written: Condition; at?: Date | undefined; path?: string },
): Promise<Selection> {
  const { definition, fields } = await resolveDefinition(ctx, {
    written,
    ...(path !== undefined && { path }),
  })
  const context = await readContext(ctx.db, ctx.workspaceId, { fields, conditions: [definition] })
  return { context: { ...context, at: at ?? context.at }, definition }
}

/**
 * Reads the contacts of a definition at one moment, on connections of segments, in the workspace's
 * turn and within its seconds.
 */
export const readSelected = <T>(
  ctx: Pick<CallContext, 'segmentDb' | 'workspaceId' | 'left'>,
  input: {
    written: Condition
    at?: Date | undefined
    seconds: number
    read: (tx: Database, selection: Selection) => Promise<T>
  },
): Promise<T> =>
  readInTurn(ctx, {
    seconds: input.seconds,
    read: async (tx) => input.read(tx, await selectionOf({ ...ctx, db: tx }, input)),
  })
