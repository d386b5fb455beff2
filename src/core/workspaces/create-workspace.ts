/** Creates a workspace, which owns keys, senders, messages and suppressions. */
import { createHash } from 'node:crypto'
import { isPageName } from '../../contract/page-names.ts'
import { insertPlan } from '../../db/workspaces/plans.ts'
import { insertWorkspace, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { Database } from '../../database/client/database.ts'
import { chooseDatabase } from '../databases.ts'

/** The plan of a new workspace: unlimited until the operator sets a limit. */
export const firstPlan = 'default'

interface NewWorkspace {
  name: string
  plan?: string | undefined
  /** The workspace whose quota, plan and database it shares. */
  quotaOf?: number | null
  /** Null means chosen. */
  databaseId?: number | null
}

/** Returns null when the slug, made of the name, is taken. Throws as `chooseDatabase`. */
export async function createWorkspace(
  { db }: { db: Database },
  { name, plan = firstPlan, quotaOf = null, databaseId = null }: NewWorkspace,
): Promise<WorkspaceRow | null> {
  await insertPlan(db, plan)
  return insertWorkspace(db, {
    ...{ name, plan, slug: slugOf(name), quotaOf },
    databaseId: await chooseDatabase(db, { quotaOf, databaseId }),
  })
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
