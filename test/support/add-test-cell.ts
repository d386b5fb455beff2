/** Adds the second cell of a test, as `facteur cell add` does. */
import { addCell } from '../../src/database/cells/add-cell.ts'
import { runOn } from './database.ts'

/** `isOnly`: new workspaces go nowhere else, because cell 1 counts as not ready. */
export async function addTestCell(url: string, { isOnly }: { isOnly: boolean }): Promise<void> {
  await addCell({ connectionString: url, progress: () => undefined }, { node: null })
  if (isOnly) await runOn(url, 'update public.cell set is_ready = false where id = 1')
}
