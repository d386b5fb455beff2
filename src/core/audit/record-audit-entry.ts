/** Writes an audit entry in the transaction of the action, so that both commit or neither does. */
import type { ActName } from '../../contract/audit-actions.ts'
import { insertAuditEntries } from '../../db/audit/audit-entries.ts'
import type { Database } from '../../database/client/database.ts'
import type { CallContext, SignedIn } from '../context.ts'

export interface AuditEntry {
  /** Noun and verb: `key.created`, `member.removed`. The pages have a text for each. */
  act: ActName
  /** The object of the action, as users name it: an address, a name. Never a secret. */
  subject: string
  /** Further facts as plain values. Never a secret. */
  details?: Record<string, string | number | boolean | null>
}

/**
 * The actor: a user, a program by the name of its key or, with neither, the operator at the command
 * line.
 */
export type Actor = Pick<CallContext, 'makeId' | 'workspaceId'> &
  Partial<Pick<CallContext, 'apiKey' | 'requester'>> & {
    user?: Pick<SignedIn, 'id' | 'email'> | null
  }

export const recordAuditEntry = (tx: Database, ctx: Actor, entry: AuditEntry): Promise<void> =>
  recordAuditEntries(tx, ctx, [entry])

/** One for each object of an action that changes many. */
export async function recordAuditEntries(
  tx: Database,
  ctx: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
  const { user = null, apiKey, requester } = ctx
  const actor = {
    userId: user?.id ?? null,
    who: user?.email ?? (apiKey ? `key ${apiKey.name}` : 'command line'),
    ip: requester?.address ?? null,
  }
  await insertAuditEntries(
    tx,
    ctx.workspaceId,
    entries.map(({ act, subject, details = {} }) => ({
      ...{ id: ctx.makeId(), ...actor, act, subject },
      details: JSON.stringify(details),
    })),
  )
}
