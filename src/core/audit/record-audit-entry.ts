/** Writes into a workspace's audit log what somebody did: inside the transaction of the act, so that neither is without the other. */
import type { ActName } from '../../contract/audit-actions.ts'
import { insertAuditEntry } from '../../db/audit/audit-entries.ts'
import type { Database } from '../../db/connection/connect.ts'
import type { CallContext, SignedIn } from '../context.ts'

export interface AuditEntry {
  /** Noun and verb: `key.created`, `member.removed`. The pages have a text for each. */
  act: ActName
  /** What it was done to, as people name it: an address, a name. Never a secret. */
  subject: string
  /** What else may have to be known, as plain values. Never a secret. */
  details?: Record<string, string | number | boolean | null>
}

/** Who acts: a user, a program by the name of its key, or, with neither, the operator at the command line. */
export type Actor = Pick<CallContext, 'makeId' | 'workspaceId'> &
  Partial<Pick<CallContext, 'apiKey' | 'requester'>> & { user?: Pick<SignedIn, 'id' | 'email'> | null }

export async function recordAuditEntry(tx: Database, ctx: Actor, { act, subject, details = {} }: AuditEntry): Promise<void> {
  const { user = null, apiKey, requester } = ctx
  await insertAuditEntry(tx, ctx.workspaceId, {
    id: ctx.makeId(),
    personId: user?.id ?? null,
    who: user?.email ?? (apiKey ? `key ${apiKey.name}` : 'command line'),
    ip: requester?.address ?? null,
    ...{ act, subject, details },
  })
}
