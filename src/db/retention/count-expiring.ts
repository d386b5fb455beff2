/** Counts what a shorter limit would delete, up to a number above which nobody counts on. */
import type { RetentionClassName } from '../../contract/retention.ts'
import { sql, type Database, type Statement } from '../connection/connect.ts'

export interface Expiring {
  /** Null: in every workspace. */
  workspaceId: number | null
  name: RetentionClassName
  days: number
  /** Data from before this moment has expired already. */
  expiredBefore: Date | null
  max: number
}

/** Rows of the class that are older than `days` and have not expired yet, `max` at most. */
export function countExpiring(db: Database, expiring: Expiring): Promise<number> {
  return db.onlyValue<number>(statements[expiring.name](expiring))
}

const noId = '00000000-0000-0000-0000-000000000000'

/** One row stands for what users count: a message's texts and files, a mail, a recipient, an open, a call. */
const statements: Record<RetentionClassName, (expiring: Expiring) => Statement> = {
  bodies: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from message_body where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and message_id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and message_id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max}) found`,
  captured: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from captured_mail where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and captured_at >= coalesce(${expiredBefore}, '-infinity'::timestamptz)
        and captured_at < (select facteur_now() - make_interval(days => ${days})) limit ${max}) found`,
  delivery_details: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      (select from engagement where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max})
      union all
      (select from campaign c join campaign_recipient r on r.workspace_id = c.workspace_id and r.campaign_id = c.id
       where (${workspaceId}::bigint is null or c.workspace_id = ${workspaceId})
         and (${workspaceId}::bigint is null or r.workspace_id = ${workspaceId})
         and c.completed_at >= coalesce(${expiredBefore}, '-infinity'::timestamptz)
         and c.completed_at < (select facteur_now() - make_interval(days => ${days})) limit ${max})
      limit ${max}) found`,
  raw_notices: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from raw_notice where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and received_at >= coalesce(${expiredBefore}, '-infinity'::timestamptz)
        and received_at < (select facteur_now() - make_interval(days => ${days})) limit ${max}) found`,
  events: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from event where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max}) found`,
  requests: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from request_log where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max}) found`,
  audit_log: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from audit_log where (${workspaceId}::bigint is null or workspace_id = ${workspaceId})
        and id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max}) found`,
  messages: ({ workspaceId, days, expiredBefore, max }) => sql`
    select count(*)::int from (
      select from message where (${workspaceId}::bigint is null or workspace_id = ${workspaceId}) and not notice
        and id >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
        and id < (select facteur_events_from(facteur_now() - make_interval(days => ${days}))) limit ${max}) found`,
}
