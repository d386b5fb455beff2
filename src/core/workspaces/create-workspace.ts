/** Creates a workspace, which owns keys, senders, messages and suppressions. */
import { createHash } from 'node:crypto'
import { isPageName } from '../../contract/page-names.ts'
import { findCellOf, cells, chooseCell } from '../../database/cells/cells.ts'
import { insertPlan } from '../../db/workspaces/plans.ts'
import { insertWorkspace, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { Database } from '../../database/client/database.ts'

/** The plan of a new workspace: unlimited until the operator sets a limit. */
export const firstPlan = 'default'

/**
 * `quotaOf`: the workspace whose quota, plan and cell it shares. `cell`: absent, the one with the
 * fewest workspaces. Returns null when the slug, made of the name, is taken. Throws `UnknownCell`.
 */
export async function createWorkspace(
  ctx: { db: Database },
  input: { name: string; plan?: string | undefined; quotaOf?: number; cell?: number | null },
): Promise<WorkspaceRow | null> {
  const { name, plan = firstPlan, quotaOf = null } = input
  await insertPlan(ctx.db, plan)
  return insertWorkspace(ctx.db, {
    name,
    slug: slugOf(name),
    plan,
    quotaOf,
    cell: await findCell(ctx.db, input),
  })
}

/** A process debits the quota in the statement that admits a mail: both are in one cell. */
async function findCell(
  db: Database,
  { quotaOf, cell }: { quotaOf?: number; cell?: number | null },
): Promise<number> {
  const shared = quotaOf === undefined ? null : await findCellOf(db, quotaOf)
  if (shared !== null) return shared
  if (cell === undefined || cell === null) return chooseCell(db)
  if ((await cells(db)).some(({ id }) => id === cell)) return cell
  throw new UnknownCell(cell)
}

/** The operator named a cell that does not exist or is not ready. */
export class UnknownCell extends Error {
  constructor(cell: number) {
    super(`There is no cell ${cell} that is ready`)
  }
}

/**
 * Joins letters and digits of the name by hyphens; begins with a letter, so that no slug reads as a
 * number. A name without any (`東京`) uses letters of its digest, so that two such names differ. A
 * name equal to a page's is changed.
 */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
  if (slug === '') return `w-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
  return /^[a-z]/.test(slug) && !isPageName(slug) ? slug.slice(0, 60) : `w-${slug}`.slice(0, 60)
}
