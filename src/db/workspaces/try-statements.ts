/**
 * A statement of each kind that the service sends to a database of workspaces, for `facteur
 * doctor`; nothing of them stays.
 */
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'

/** Of nobody: workspaces begin with 1. */
const workspaceId = 0

const statements = {
  'a look-up beside global tables': (tx: Database) =>
    tx.rows(sql`
      select d.name from workspace w join plan p on p.name = w.plan join domain d on d.workspace_id = w.id
      where w.id = ${workspaceId} and d.workspace_id = ${workspaceId}`),
  'a locked row beside a global table': (tx: Database) =>
    tx.rows(sql`
      select locked.next_at from workspace w cross join lateral (
        select next_at from due where workspace_id = ${workspaceId} for update) locked
      where w.id = ${workspaceId}`),
  'a change': (tx: Database) =>
    tx.rows(sql`
      with came as (insert into due (workspace_id, lane, next_at)
        values (${workspaceId}, 'doctor', facteur_now())
        returning next_at),
        gone as (delete from due where workspace_id = ${workspaceId} and lane = 'none' returning next_at)
      select next_at from came union all select next_at from gone`),
  'a function that reads its tables': (tx: Database) =>
    tx.rows(
      sql`
        select facteur_stored_since(${workspaceId}, 'messages', 30) as since
        from domain
        where workspace_id = ${workspaceId}`,
    ),
  'a change of a global table': (tx: Database) =>
    tx.count(
      sql`insert into ${home}plan (name, monthly_quota) values ('(doctor)', null) on conflict do nothing`,
    ),
}

export type StatementKind = keyof typeof statements

export const statementKinds = Object.keys(statements) as StatementKind[]

class RolledBack extends Error {}

/** Rejects with what the database says to it. */
export async function tryStatement(db: Connection, kind: StatementKind): Promise<void> {
  await db
    .transaction(async (tx) => {
      await statements[kind](tx)
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
}
