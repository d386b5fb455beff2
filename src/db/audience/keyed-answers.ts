/** The answers of calls that store contacts, by the Idempotency-Key that came with each. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface KeyedAnswer {
  fingerprint: Buffer
  /** Null if the key stands for messages. */
  answer: unknown
}

export function findAnswer(
  db: Database,
  workspaceId: number,
  key: string,
): Promise<KeyedAnswer | null> {
  return db.row<KeyedAnswer>(sql`
    select fingerprint, answer from idempotency_key where workspace_id = ${workspaceId} and key = ${key}`)
}

/** Claims a key for an answer, in the transaction that it describes. False if it is taken. */
export function insertAnswer(
  tx: Database,
  workspaceId: number,
  { key, fingerprint, answer }: { key: string; fingerprint: Buffer; answer: string },
): Promise<boolean> {
  return tx.changes(sql`
    insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at, answer)
    values (${workspaceId}, ${key}, ${fingerprint}, '{}', facteur_now(), ${answer})
    on conflict (workspace_id, key) do nothing`)
}
