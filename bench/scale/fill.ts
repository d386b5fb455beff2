/**
 * Audiences of any size that look alike: the same names and domains in the same proportions, newest
 * last.
 */
import type pg from 'pg'
import {
  indexSubscribers,
  indexedAtOnce,
} from '../../src/core/audience/subscribers/index-subscribers.ts'
import type { Connection } from '../../src/database/client/connect.ts'

/** Texts of SQL that give the n-th subscriber's identifier and address. */
const idOf =
  "(lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5('x' || n), 1, 15))::uuid"
const firstNames =
  "array['camille','ines','hugo','lea','louis','emma','jules','chloe','adam','lina']"
const lastNames =
  "array['martin','bernard','dubois','thomas','robert','petit','durand','leroy','moreau','simon','laurent']"
const domains = "array['gmail.example','orange.example','example.com','laposte.example']"
const addressOf = `(${firstNames})[1 + n % 10] || '.' || (${lastNames})[1 + n % 11] || n || '@' || (${domains})[1 + n % 4]`

/**
 * Fills workspace 1: nine of ten are subscribed. The oldest half has a tag that no later subscriber
 * has, every other one has another, one in five thousand a third. One address in thirty is
 * suppressed; half of these belong to no subscriber.
 */
export async function fill(client: pg.Client, contacts: number): Promise<void> {
  await client.query(
    `insert into subscriber (workspace_id, id, email, status, first_name, last_name, source, tags, fields, created_at, updated_at)
     select 1, ${idOf}, ${addressOf}, case when n % 20 = 0 then 'pending' when n % 60 = 1 then 'unsubscribed' else 'subscribed' end,
       initcap((${firstNames})[1 + n % 10]), initcap((${lastNames})[1 + n % 11]), 'import',
       array_remove(array[case when n <= $1::int / 2 then 'old' end, case when n % 2 = 0 then 'even' end, case when n % 5000 = 7 then 'seldom' end], null),
       jsonb_build_object('town', (array['Lyon', 'Paris', 'Lille'])[1 + n % 3]), facteur_now(), facteur_now()
     from generate_series(1, $1::int) n`,
    [contacts],
  )
  await client.query(
    `insert into suppression (workspace_id, email, id, reason, created_at)
     select 1, email, gen_random_uuid(), 'unsubscribe', facteur_now() from subscriber where status = 'unsubscribed'
     union all select 1, 'gone' || n || '@example.com', gen_random_uuid(), 'bounce', facteur_now() from generate_series(1, $1::int / 60) n`,
    [contacts],
  )
  await client.query(
    `insert into subscriber_tally (workspace_id, change) select 1, count(*) from subscriber where status = 'subscribed'`,
  )
  await client.query(
    'insert into subscriber_search_pending select workspace_id, id from subscriber',
  )
}

/** Makes everybody findable, as two workers do. */
export async function index(db: Connection): Promise<void> {
  const work = async (): Promise<void> => {
    while ((await indexSubscribers({ db }, 1)) === indexedAtOnce);
  }
  await Promise.all([work(), work()])
}
