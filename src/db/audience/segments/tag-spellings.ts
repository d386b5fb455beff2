/** The names of tags that conditions mean, whatever the case that they are written in. */
import { fragment, part } from '../../../database/client/fragment.ts'
import { sql, unprepared } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'
import { foldedIs } from './folded-text.ts'

/** By the tag as a condition has it: the workspace's tags that it means. */
export type TagSpellings = ReadonlyMap<string, string[]>

/**
 * Read before the statement that selects: PostgreSQL reads a whole audience on one core while a
 * condition waits for a list that the statement makes itself.
 */
export async function tagSpellings(
  db: Database,
  workspaceId: number,
  tags: string[],
): Promise<TagSpellings> {
  const spellings = new Map<string, string[]>(tags.map((tag) => [tag, []]))
  const [first, ...others] = [...spellings.keys()].map(
    (tag) => part`
      select ${tag}::text as tag, t.name
      from subscriber_tag t
      where t.workspace_id = ${workspaceId} and ${foldedIs(fragment`t.name`, tag)}`,
  )
  if (first === undefined) return spellings
  const lists = others.reduce((all, each) => part`${all} union all ${each}`, first)
  const rows = await db.rows<{ tag: string; name: string }>(
    unprepared(sql`select tag, name from (${lists}) meant`),
  )
  for (const { tag, name } of rows) spellings.get(tag)?.push(name)
  return spellings
}
