/**
 * Checks that each cell takes every kind of statement of the service, where there are several: a
 * node may be away, or set up by half.
 */
import { statementKinds, tryStatement } from '../../../db/workspaces/try-statements.ts'
import { failed, messageOf, passed, type Check, type EachCell } from './check.ts'

/** One line for each cell. Its writes are rolled back. */
export async function checkCells(eachCell: EachCell): Promise<Check[]> {
  const checks: Check[] = []
  await eachCell(async (db, { id }) => {
    const failures: string[] = []
    for (const kind of statementKinds)
      await tryStatement(db, kind).catch((error: unknown) =>
        failures.push(`${kind} fails (${messageOf(error)})`),
      )
    checks.push(
      failures.length === 0
        ? passed('cells', `cell ${id}: takes every kind of statement`)
        : failed(
            'cells',
            `cell ${id}: ${failures.join('; ')}`,
            'See to its node, and to what docs/scaling.md says that each node needs.',
          ),
    )
  })
  return checks.length > 1 ? checks : []
}
