/**
 * Whether a database is the installation, or one that it has moved away from, or a copy that is not
 * in use yet.
 */
import { databaseOn } from '../../client/camel-case-rows.ts'
import { withCopyClient } from '../copy-client.ts'
import { movedTo } from '../copy-state.ts'
import { isSwitchedCopy, readMark } from './copy-target.ts'

export interface FoundMove {
  /** Where it has moved to, without a login. Null if it has not. */
  movedTo: string | null
  isUnfinished: boolean
  /** An unfinished copy that lacks nothing of the moment of its switch. */
  isSwitched: boolean
}

/** Of a database of any version. It changes nothing. */
export function findMove(connectionString: string): Promise<FoundMove> {
  return withCopyClient(connectionString, async (client) => {
    const isUnfinished = (await readMark(client)) !== null
    return {
      movedTo: (await movedTo(databaseOn(client)))?.target ?? null,
      isUnfinished,
      isSwitched: isUnfinished && (await isSwitchedCopy(client)),
    }
  })
}
