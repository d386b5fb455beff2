/** Names what the clean-up of the workers fails at: such data stays on the disk. */
import { shownTime } from '../../../ground/shown-values.ts'
import { homeCell } from '../../../database/cells/cell-changes.ts'
import { cleanUpFailures } from '../../../db/retention/clean-up-failures.ts'
import { warned, type Check, type EachCell } from './check.ts'

/** Nothing where the last round did all. */
export async function checkCleanUp(eachCell: EachCell): Promise<Check[]> {
  const checks: Check[] = []
  await eachCell(async (db, cell) => {
    const location = cell.id === homeCell.id ? '' : `cell ${cell.id}: `
    for (const { tableName, workspace, others, error, since } of await cleanUpFailures(db)) {
      const more = others === 0 ? '' : ` and ${others} more`
      const whose = workspace === null ? '' : ` of workspace ${workspace}${more}`
      checks.push(
        warned(
          'clean-up',
          `${location}${tableName}${whose} is not cleaned up since ${shownTime(since)} UTC: ${error}`,
          'The log of a worker has the whole error. Each round, every ten minutes, tries again; until then data that has expired stays on the disk.',
        ),
      )
    }
  })
  return checks
}
