/**
 * Makes the target of a move the installation: from here on it is no unfinished copy, and knows
 * which database it is.
 */
import { markUnknownCopy } from '../../db/restore/withhold-pending.ts'
import { withCopyClient } from '../../database/transport/copy-client.ts'
import { removeMark, validateForeignKeys } from '../../database/transport/copy/copy-target.ts'

/**
 * After the decision alone. The command and each process that follows do it, whichever is first.
 */
export async function activateTarget(connectionString: string): Promise<void> {
  await withCopyClient(connectionString, removeMark)
  await markUnknownCopy(connectionString)
}

/**
 * Without the decision, which is lost with the source: a person says that the target is all that is
 * left. Its mail is held then.
 */
export async function takeSwitchedCopy(connectionString: string): Promise<void> {
  await withCopyClient(connectionString, async (target) => {
    await validateForeignKeys(target)
    await removeMark(target)
  })
}
