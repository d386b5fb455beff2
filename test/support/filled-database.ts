/**
 * Fills a database with accepted messages, as an installation that has been used for a while has
 * them.
 */
import { runOn } from './database.ts'

/**
 * A workspace with so many messages, each with its body and its recipient, and opens of some;
 * answers the workspace's number.
 */
export async function fillMessages(url: string, count: number, key = 'filled'): Promise<number> {
  const { rows } = await runOn(
    url,
    `with p as (insert into plan (name, monthly_quota) values ('filled', null) on conflict do nothing)
     insert into workspace (slug, name, plan, created_at) values ('${key}', '${key}', 'filled', facteur_now()) returning id::int`,
  )
  const id = Number(rows[0]?.id)
  await runOn(
    url,
    `with made as materialized (
       select (lpad(to_hex((extract(epoch from facteur_now()) * 1000)::bigint - n), 12, '0') || '7' || substr(md5(n::text), 1, 19))::uuid as id, n
       from generate_series(1, ${count}) n
     ), m as (
       insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
       select ${id}, id, jsonb_build_object('from', 'hello@shop.test', 'to', jsonb_build_array('reader-' || n || '@example.test')),
         'Message number ' || n, id || '@shop.test', facteur_now() - n * interval '1 millisecond', '2026-11-01' from made
     ), b as (
       insert into message_body (workspace_id, message_id, html, text)
       select ${id}, id, '<p>' || repeat(md5(n::text) || ' ', 8) || '</p>', repeat(md5((n + 1)::text) || ' ', 8) from made
     )
     insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
     select ${id}, id, 0, 'to', 'reader-' || n || '@example.test', 'reader-' || n || '@example.test', 'delivered', 'settled', 'transactional', facteur_now()
     from made`,
  )
  return id
}
