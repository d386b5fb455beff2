/**
 * Checks whether a copy to another database goes on, was left behind, or has moved the installation
 * away.
 */
import { shownTime } from '../../../ground/shown-values.ts'
import type { Database } from '../../../database/client/database.ts'
import { databaseCopy, isCopyRunning } from '../../../database/transport/copy-state.ts'
import { failed, passed, warned, type Check } from './check.ts'

/** Nothing where there is none. */
export async function checkCopy(db: Database): Promise<Check[]> {
  const copy = await databaseCopy(db)
  if (copy === null) return []
  const { target, share, beganAt } = copy
  if (copy.state === 'moved')
    return [
      failed(
        'copy',
        `this installation has moved to ${target}`,
        'Let DATABASE_URL, or FACTEUR_DATA, name the new database.',
      ),
    ]
  if (await isCopyRunning(db))
    return [
      passed(
        'copy',
        `a copy to ${target} is ${Math.floor(share * 100)} % done, since ${shownTime(beganAt)} UTC`,
      ),
    ]
  return [
    warned(
      'copy',
      `a copy to ${target} was left behind at ${Math.floor(share * 100)} %: it records each change of a row`,
      'Run facteur database copy --to with that address to go on, or facteur database copy --abort.',
    ),
  ]
}
