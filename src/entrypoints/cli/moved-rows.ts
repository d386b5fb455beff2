/** What a move of a workspace asks of the rows that it moves. */
import type { MovedRows } from '../../database/transport/move/open-move.ts'
import { isUndecided } from '../../db/restore/withheld-counts.ts'
import { dueLanes } from '../../db/sending/due.ts'
import { countRowsInHand } from '../../db/sending/rows-in-hand.ts'
import { workspacesSharingQuota } from '../../db/workspaces/workspaces.ts'

export const movedRows: MovedRows = {
  lanes: dueLanes,
  async whyNot(home, { id, slug }) {
    const sharing = await workspacesSharingQuota(home, id)
    return sharing.length === 0
      ? null
      : `Workspace ${slug} shares its quota with ${sharing.join(', ')}, and they must be in one cell: give it a plan of its own first (facteur workspace plan).`
  },
  whyNotInCell: async (cell, workspaceId) =>
    (await isUndecided(cell, workspaceId))
      ? 'Mail of the workspace is held after a restore: decide that first (facteur restore review).'
      : null,
  countWithheld: countRowsInHand,
}
