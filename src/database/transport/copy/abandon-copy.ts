/** Gives up a copy that has not moved: the database has no trigger and no table of it any more. */
import { databaseOn } from '../../client/camel-case-rows.ts'
import { endCapture } from '../change-capture.ts'
import { withCopyClient } from '../copy-client.ts'
import { databaseCopy, deleteCopy, takeCopyLocks } from '../copy-state.ts'
import { OperatorError } from '../../../ground/operator-error.ts'

/**
 * Answers where it was to go. Null if there was none. Throws `OperatorError` while one runs, and
 * once it has moved.
 */
export async function abandonCopy({
  from,
  progress,
  signal,
}: {
  from: string
  progress(text: string): void
  signal: AbortSignal
}): Promise<string | null> {
  return withCopyClient(from, async (client) => {
    const db = databaseOn(client)
    if ((await takeCopyLocks(db)) === 'copying')
      throw new OperatorError('A copy of this database is running: stop that one first.')
    const copy = await databaseCopy(db)
    if (copy?.state === 'moved')
      throw new OperatorError(
        `This installation has moved to ${copy.target}: there is nothing to give up.`,
      )
    await endCapture(client, { progress, signal })
    await deleteCopy(db)
    return copy?.target ?? null
  })
}
