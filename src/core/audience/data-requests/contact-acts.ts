/** Records what a contact did about their data, and bounds how often. */
import { insertAuditEntries } from '../../../db/audit/audit-entries.ts'
import type { ActName } from '../../../contract/audit-actions.ts'
import type { Database } from '../../../database/client/database.ts'
import { takeSignUp } from '../../../db/forms/sign-up-limits.ts'
import type { Context } from '../../context.ts'
import { networkOf } from '../../network-of.ts'

/** Requests an hour: from one network to the installation, and from all to one workspace. */
const networkMax = 20
const workspaceMax = 1_000

export async function isWithinDataRate(
  { countingDb }: Pick<Context, 'countingDb'>,
  { workspaceId, ip }: { workspaceId: number; ip: string },
): Promise<boolean> {
  // Workspace 0 is shared by all, as for calls without a key.
  const network = { bucket: `data ${networkOf(ip)}`, max: networkMax }
  return (
    (await takeSignUp(countingDb, 0, network)) &&
    (await takeSignUp(countingDb, workspaceId, { bucket: 'data', max: workspaceMax }))
  )
}

/** Without the address of their browser: an erasure would not find it in the audit log. */
export const recordContactAct = (
  { makeId }: Pick<Context, 'makeId'>,
  tx: Database,
  { workspaceId, act, subject }: { workspaceId: number; act: ActName; subject: string },
): Promise<void> =>
  insertAuditEntries(tx, workspaceId, [
    {
      ...{ id: makeId(), userId: null, who: 'contact', ip: null },
      ...{ act, subject, details: '{}' },
    },
  ])
