/**
 * Names workspaces that refuse every change although no move holds them: a move was killed in its
 * last step, and nobody has let them go.
 */
import { workspacesLeftRefusing } from '../../../database/transport/move/workspace-moves.ts'
import { closingGates } from '../../../database/transport/move/workspace-capture.ts'
import type { Database } from '../../../database/client/database.ts'
import { failed, type Check, type EachCell } from './check.ts'

/** Nothing where there is none. */
export async function checkWorkspaceGates(home: Database, eachCell: EachCell): Promise<Check[]> {
  const checks: Check[] = []
  await eachCell(async (db, { id: cell }) => {
    for (const { slug, toCell } of await workspacesLeftRefusing(home, {
      cell,
      closing: await closingGates(db),
    }))
      checks.push(
        failed(
          'closed workspace',
          `${slug} refuses every change in its cell ${cell}: its calls are answered by 503 (changing_cell), and its mail stands still`,
          `A process of the service lets it go within seconds: start one. If one runs, its log says why it cannot; facteur workspace move ${slug} ${toCell} --cancel opens the workspace too.`,
        ),
      )
  })
  return checks
}
