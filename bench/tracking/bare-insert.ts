/**
 * Bare batched inserts of opens and clicks: one statement for many rows into an equal table with
 * equal indexes, and nothing else.
 */
import { randomUUID } from 'node:crypto'
import { connect, type Connection } from '../../src/database/client/connect.ts'
import { sql } from '../../src/database/client/sql.ts'

/** A row of an open or a click, as it is stored. */
export interface BareRequest {
  id: string
  campaignId: string
  subscriberId: string
}

export interface BareInsert {
  insert(requests: BareRequest[]): Promise<void>
  db: Connection
}

const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const campaignId = '00000000-0000-7000-8000-000000000000'

export const makeRequests = (count: number): BareRequest[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    campaignId,
    subscriberId: randomUUID(),
  }))

export async function bareInsert(connectionString: string): Promise<BareInsert> {
  const db = connect({ connectionString })
  await db.count(sql`create table if not exists bare_visit (like engagement including all)`)
  return {
    db,
    insert: async (requests) => {
      await db.count(sql`
        insert into bare_visit (workspace_id, id, campaign_id, subscriber_id, kind, visitor, device, os, client, user_agent, ip, at)
        select 1, id, campaign_id, subscriber_id, 'open', 'person', 'Desktop', 'Windows', 'Chrome', ${userAgent}, '127.0.0.1', clock_timestamp()
        from unnest(${requests.map((v) => v.id)}::uuid[], ${requests.map((v) => v.campaignId)}::uuid[], ${requests.map((v) => v.subscriberId)}::uuid[])
          as t (id, campaign_id, subscriber_id)`)
    },
  }
}
