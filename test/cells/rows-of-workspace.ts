/** Which tables of a schema have rows of a workspace, in words. */
import { globalTables } from '../../src/database/schema/global-tables.ts'
import { runOn } from '../support/database.ts'

export async function rowsOfWorkspace(
  url: string,
  schema: string,
  workspaceId: number,
): Promise<string[]> {
  const { rows } = await runOn(
    url,
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
     where c.relnamespace = '${schema}'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const matches: string[] = []
  for (const { name } of rows as { name: string }[]) {
    if (globalTables.includes(name) || name.startsWith('move_')) continue
    const count = Number(
      (
        await runOn(
          url,
          `select count(*) from ${schema}."${name}" where workspace_id = ${workspaceId}`,
        )
      ).rows[0]?.count,
    )
    if (count > 0) matches.push(`${name}: ${count}`)
  }
  return matches
}
