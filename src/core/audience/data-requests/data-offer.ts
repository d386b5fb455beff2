/** Decides what the page of a contact offers who asks for what is stored about them. */
import type { Database } from '../../../database/client/database.ts'
import { notifierOf } from '../../../db/sending/notices.ts'
import { suppressionsOf } from '../../../db/suppression/suppressions.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { Context } from '../../context.ts'
import { findAsker, type Asker } from '../consent/send-confirmation.ts'

/**
 * `mail`: a link by mail. `left`: the address is suppressed, so nothing is mailed, and the contact may
 * ask the workspace for erasure. `write`: the workspace cannot send now. `writeTo`: its own address.
 *
 * No link erases: who was forwarded a mail can unsubscribe, report and bounce with it, and an erasure
 * is final.
 */
export type DataOffer = { writeTo: string } & (
  | { kind: 'mail'; asker: Asker }
  | { kind: 'left' | 'write' }
)

/** Null where the workspace does not allow it. */
export async function dataOffer(
  ctx: Pick<Context, 'settings'>,
  db: Database,
  { workspaceId, email }: { workspaceId: number; email: string },
): Promise<DataOffer | null> {
  const { dataRequests, contact } = await workspaceSettings(db, workspaceId)
  if (!dataRequests) return null
  const writeTo = contact ?? (await notifierOf(db, workspaceId)).sender?.email
  // Without a sender nothing was ever mailed.
  if (writeTo === undefined) return null
  const suppressed = await suppressionsOf(db, workspaceId, [email])
  if (suppressed.length > 0) return { kind: 'left', writeTo }
  const asker = await findAsker(ctx, db, workspaceId)
  return 'refusal' in asker ? { kind: 'write', writeTo } : { kind: 'mail', asker, writeTo }
}
