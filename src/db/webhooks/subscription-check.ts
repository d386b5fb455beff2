/**
 * A change of states that publishes no events: its statement writes only where no webhook
 * subscribes to what it would publish.
 */
import { part, type Fragment } from '../../database/client/fragment.ts'
import type { Database } from '../../database/client/database.ts'
import type { Statement } from '../../database/client/sql.ts'

/**
 * Nothing was written: a webhook of the workspace subscribes to one of the types
 * (core/events/change-and-publish.ts).
 */
export class WebhookSubscribes extends Error {
  constructor() {
    super('A webhook subscribes to an event of this change')
  }
}

/**
 * The first step, `subscribed`: one row, which says whether a webhook subscribes, enabled or not.
 * The steps that read rows to change read none then. A webhook that is made while the statement
 * runs gets what happens after it.
 */
export const subscriptionCheck = (
  workspaceId: number,
  types: readonly string[],
): Fragment => part`subscribed as materialized (
      select exists (select
        from webhook
        where workspace_id = ${workspaceId} and events && ${types}::text[]) as is_subscribed
    )`

/**
 * The rows of a statement that joins its own to `subscribed`, with `isSubscribed` in the first;
 * one without a value of `column` stands for none. Throws `WebhookSubscribes`: as a row it costs
 * neither an error of the server nor a transaction that is undone.
 */
export async function rowsUnlessSubscribed<Row extends object>(
  db: Database,
  column: keyof Row,
  statement: Statement,
): Promise<Row[]> {
  const rows = await db.rows<Row & { isSubscribed: boolean }>(statement)
  if (rows[0]?.isSubscribed) throw new WebhookSubscribes()
  return rows[0]?.[column] === null ? [] : rows
}
