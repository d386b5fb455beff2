/**
 * `facteur workspace move`: moves a workspace to another cell while it sends, or gives a move up.
 */
import type { MovedWorkspace } from '../../database/transport/move/clear-old-cell.ts'
import {
  abandonWorkspaceMove,
  moveWorkspace,
} from '../../database/transport/move/move-workspace.ts'
import type { WorkspaceMoveProgress } from '../../database/transport/move/open-move.ts'
import { connect } from '../../database/client/connect.ts'
import { createFailpoints } from '../../ground/failpoints.ts'
import { withSchema } from './cell-commands.ts'
import { defineCommand } from './command.ts'
import { movedRows } from './moved-rows.ts'
import { argument, workspaceArgument } from './parameters.ts'
import { createProgressLine } from './progress-line.ts'
import { shownNumber, printed, type PrintedValue } from './result.ts'
import { readWhole } from './values.ts'
import { resolveWorkspace } from './workspace-command.ts'

export const workspaceMoveCommand = defineCommand({
  name: 'workspace move',
  summary: 'Move a workspace to another cell while it sends',
  note: `Every row is compared before the switch. At the switch, calls of this workspace wait for a few seconds or get 503 with Retry-After; other workspaces notice
nothing, and the processes follow by themselves. A move that is cut off goes on when the line is given again. The rows in the old cell are deleted afterwards.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: {
    W: workspaceArgument,
    CELL: argument('Its number, from cell list.', readWhole(1, 10_000)),
  },
  flags: {
    cancel: { text: 'Gives up a move that has not switched yet; the workspace stays in its cell.' },
  },
  examples: ['workspace move acme 2', 'workspace move acme 2 --cancel'],
  run: (surroundings, { W, CELL: toCell, cancel }) =>
    withSchema(surroundings, async (connectionString) => {
      const { clock, progress, signal, meter } = surroundings
      const workspace = await findWorkspace(connectionString, W)
      const failpoints = createFailpoints(surroundings.readConfig().failpoints, clock)
      const options = {
        workspace: { ...workspace, cell: workspace.databaseId },
        ...{ connectionString, moved: movedRows },
        ...{ clock, failpoints, progress, signal },
      }
      const { slug } = workspace
      if (cancel) {
        const was = await abandonWorkspaceMove(options)
        return printed(
          { id: String(workspace.id), cell: workspace.databaseId, cancelled: was !== null },
          was === null
            ? `No move of ${slug} is under way.`
            : `Given up: ${slug} stays in cell ${workspace.databaseId}.`,
        )
      }
      const line = createProgressLine({ meter, clock }, 'rows')
      return describe(
        workspace,
        await moveWorkspace({
          ...options,
          toCell,
          onProgress: ({ share, rows }: WorkspaceMoveProgress) => line.show(share, rows),
        }),
      )
    }),
})

function describe(
  { id, slug }: { id: number; slug: string },
  { fromCell, toCell, tables, rows, changes, pauseMs }: MovedWorkspace,
): PrintedValue {
  const pause =
    pauseMs === null
      ? 'An earlier run had switched it.'
      : `It waited for ${(pauseMs / 1_000).toFixed(1)} s.`
  return printed(
    {
      id: String(id),
      cell: toCell,
      cell_before: fromCell,
      tables,
      rows,
      changes,
      pause_ms: pauseMs,
    },
    `Workspace ${slug} is in cell ${toCell}; it was in cell ${fromCell}.
${shownNumber(rows)} rows of ${tables} tables moved, ${shownNumber(changes)} of them changed meanwhile. ${pause}`,
  )
}

async function findWorkspace(
  connectionString: string,
  W: string,
): ReturnType<typeof resolveWorkspace> {
  const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur command' })
  try {
    return await resolveWorkspace({ db }, W)
  } finally {
    await db.end()
  }
}
