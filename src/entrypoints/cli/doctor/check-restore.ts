/** Checks whether mail is held after a restore, and waits for a decision. */
import type { Database } from '../../../database/client/database.ts'
import {
  withheldByWorkspace,
  restoredState,
  type WithheldWorkspace,
} from '../../../db/restore/withheld-counts.ts'
import { shownTime } from '../../../ground/shown-values.ts'
import { countsOfWithheld } from '../restore/withheld-words.ts'
import { passed, warned, type Check, type EachCell } from './check.ts'

/** Nothing for an installation that was never restored. */
export async function checkRestore(db: Database, eachCell: EachCell): Promise<Check[]> {
  const restored = await restoredState(db)
  if (restored === null) return []
  const withheld: WithheldWorkspace[] = []
  await eachCell(async (there) => void withheld.push(...(await withheldByWorkspace(there))))
  const { copyShownBy } = restored
  const about =
    copyShownBy === null
      ? `restored from a backup at ${shownTime(restored.restoredAt)} UTC`
      : `the start at ${shownTime(restored.restoredAt)} UTC found a copy of another database (${copyShownBy})`
  if (withheld.length === 0) return [passed('restore', `${about}; nothing is held any more`)]
  const counts = withheld
    .map((each) => `${countsOfWithheld(each) || 'delivery events and notices'} in ${each.slug}`)
    .join('; ')
  return [
    warned(
      'restore',
      `${about}: ${counts} held`,
      copyShownBy === null
        ? 'Look at it by facteur restore review, then release or discard it.'
        : 'If nothing was sent from elsewhere since the copy: facteur restore release --all. Else look at it by facteur restore review first.',
    ),
  ]
}
