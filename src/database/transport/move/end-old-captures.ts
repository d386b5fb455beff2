/**
 * Takes away what moves of workspaces have left in a cell: triggers that refuse late writes, and
 * rows of the gate. Each process looks where a workspace is every second, so that none believes the
 * old cell ten minutes after the switch.
 */
import { quoted } from '../table-shapes.ts'
import type { Connection } from '../../client/connect.ts'
import type { Database } from '../../client/database.ts'
import { sql } from '../../client/sql.ts'
import { changePartitions, plain, Postponed } from '../../partitions/change-partitions.ts'

/**
 * Of the cell of the connection. A table in use, and a move or a copy that runs, leave it to the
 * next round.
 */
export async function endOldCaptures(db: Connection, stopping?: AbortSignal): Promise<void> {
  const left = await captures(db)
  await deleteOldMoves(db)
  for (const { workspaceId, table, triggers } of left) {
    if (stopping?.aborted) return
    try {
      // A move has the lock of partitions for as long as it runs: none begins between the question
      // and the commit.
      await changePartitions(db, [table], async (tx) => {
        if (await hasMove(tx, workspaceId)) return
        // Nodes of a cluster take triggers from no other session.
        await tx.ask(plain(`set local citus.enable_unsafe_triggers = 'on'`))
        // Without a row of the gate, triggers that are still there refuse.
        await tx.count(sql`delete from move_gate where workspace_id = ${workspaceId}`)
        await tx.count(sql`delete from move_change where workspace_id = ${workspaceId}`)
        for (const trigger of triggers)
          await tx.ask(plain(`drop trigger if exists ${quoted(trigger)} on ${quoted(table)}`))
      })
    } catch (error) {
      if (!(error instanceof Postponed)) throw error
    }
  }
}

async function deleteOldMoves(db: Connection): Promise<void> {
  await changePartitions(db, [], (tx) =>
    tx.count(
      sql`
        delete from workspace_move
        where state = 'cleared' and moved_at < facteur_now() - interval '10 minutes'`,
    ),
  )
}

const hasMove = (tx: Database, workspaceId: number): Promise<boolean> =>
  tx.onlyValue<boolean>(
    sql`select exists (select from workspace_move where workspace = ${workspaceId}) as is`,
  )

interface Capture {
  workspaceId: number
  table: string
  triggers: string[]
}

function captures(db: Database): Promise<Capture[]> {
  return db.rows<Capture>(sql`
    select split_part(t.tgname, '_', 2)::int8 as workspace_id, c.relname::text as "table",
      array_agg(t.tgname::text) as triggers
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = current_schema()::regnamespace and t.tgparentid = 0
      and p.proname = 'facteur_capture_move'
    group by 1, 2 order by 1, 2`)
}
