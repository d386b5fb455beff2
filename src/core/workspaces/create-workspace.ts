/** Makes a workspace: the place that keys, senders, messages and suppressions belong to. */
import { createHash } from 'node:crypto'
import { insertPlan } from '../../db/plans.ts'
import { insertWorkspace } from '../../db/workspaces.ts'
import type { WorkspaceRow } from '../../db/workspaces.ts'
import type { Database } from '../../db/connect.ts'

/** The plan of a new workspace: without a limit, until the operator sets one. */
export const firstPlan = 'default'

/** Null when the slug, made of the name, is taken. */
export async function createWorkspace(ctx: { db: Database }, input: { name: string }): Promise<WorkspaceRow | null> {
  await insertPlan(ctx.db, firstPlan)
  return insertWorkspace(ctx.db, { name: input.name, slug: slugOf(input.name), plan: firstPlan })
}

/**
 * Letters and digits of the name, joined by hyphens; begins with a letter, so that no slug reads as a number. A name that has
 * none of them (`東京`) gives letters of its digest, so that two such names do not meet.
 */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  if (slug === '') return `w-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
  return /^[a-z]/.test(slug) ? slug.slice(0, 60) : `w-${slug}`.slice(0, 60)
}
