/** Imports of subscribers: the progress of each, and the one statement that validates and stores a batch. */
import { limits } from '../../contract/limits.ts'
import { noteForSearch } from './subscribers.ts'
import { rowList, sql, type Database } from '../connection/connect.ts'

export interface ImportState {
  id: string
  recordsDone: number
  added: number
  updated: number
  /** Lines by reason. */
  refused: Record<string, number>
}

export interface StartedImport {
  fingerprint: Buffer
  fileName: string
}

/** The unfinished import of this fingerprint, or a new one. */
export function findOrStartImport(
  db: Database,
  workspaceId: number,
  { id, fingerprint, fileName }: StartedImport & { id: string },
): Promise<ImportState> {
  return db.onlyRow<ImportState>(sql`
    insert into subscriber_import as i (workspace_id, id, fingerprint, file_name, started_at)
    values (${workspaceId}, ${id}, ${fingerprint}, ${fileName}, date_trunc('milliseconds', facteur_now()))
    on conflict (workspace_id, fingerprint) where finished_at is null do update set file_name = i.file_name
    returning id, records_done as "recordsDone", added, updated, refused`)
}

/**
 * Locks the import for this transaction. False when its progress differs from the caller's: another process imports
 * the same file, and one of the two must stop.
 */
export async function lockImport(db: Database, workspaceId: number, id: string, recordsDone: number): Promise<boolean> {
  const rows = await db.rows(sql`
    select 1 from subscriber_import
    where workspace_id = ${workspaceId} and id = ${id} and records_done = ${recordsDone} and finished_at is null for update`)
  return rows.length > 0
}

/** Waits for the running batches of all imports, and keeps others from beginning until the transaction ends. */
export async function waitForImports(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(
    sql`select 1 from subscriber_import where workspace_id = ${workspaceId} and finished_at is null order by id for update`,
  )
}

/** Stores the result of a batch, in its transaction. */
export async function advanceImport(db: Database, workspaceId: number, state: ImportState): Promise<void> {
  await db.count(sql`
    update subscriber_import set records_done = ${state.recordsDone}, added = ${state.added}, updated = ${state.updated},
      refused = ${JSON.stringify(state.refused)}
    where workspace_id = ${workspaceId} and id = ${state.id}`)
}

export async function finishImport(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`
    update subscriber_import set finished_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/** The import of a file, when it has ended since the file was scheduled; null before. */
export function finishedImport(db: Database, workspaceId: number, fileId: string): Promise<ImportState | null> {
  return db.row<ImportState>(sql`
    select i.id, i.records_done as "recordsDone", i.added, i.updated, i.refused
    from import_file f join subscriber_import i on i.workspace_id = ${workspaceId} and i.id = f.import_id
    where f.workspace_id = ${workspaceId} and f.id = ${fileId} and i.finished_at >= f.started_at`)
}

export interface ImportedSubscriber {
  /** For a new record, and for its evidence of consent. */
  id: string
  line: number
  email: string
  firstName: string | null
  lastName: string | null
  tags: string[]
  /** JSON, or null. */
  fields: string | null
  /** An earlier line of the same file has this address. */
  again: boolean
}

export interface ImportRules {
  importId: string
  /** The status of new subscribers: subscribed by the operator's word, or pending until they confirm. */
  status: 'subscribed' | 'pending'
  /** The stored evidence for each new subscriber that is subscribed. */
  consent: string | null
  /** The user of the workspace who gave it. */
  person: string | null
  /** Existing pending subscribers get another confirmation mail if the last one is older than this. */
  askAfterSeconds: number
  /** When the file arrived: it does not bring back contacts that were erased since. Null: when the import began. */
  since: Date | null
  /** False: a dry run. */
  store: boolean
}

/**
 * The verdict on lines: `new` and `known` are stored, and `asked` of them get the confirmation mail in this transaction.
 * Every other verdict names the refusal.
 */
export interface RowVerdict {
  verdict: string
  count: number
  /** For refused lines. */
  lines: number[] | null
  /** The subscribers that get a confirmation mail. */
  asked: { id: string; email: string }[] | null
}

/**
 * Validates a batch and stores it, all or nothing; answers lines by verdict. It writes subscribers in the order of
 * their addresses, so that two writers never deadlock.
 */
export function storeImported(
  db: Database,
  workspaceId: number,
  people: ImportedSubscriber[],
  rules: ImportRules,
): Promise<RowVerdict[]> {
  const rows = people.map((row) => ({ ...row, tags: arrayText(row.tags) }))
  return db.rows<RowVerdict>(sql`
    with moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), checked as materialized (
      select p.*,
        ${rules.status} = 'pending' and coalesce(s.status, 'pending') = 'pending'
          and coalesce(s.confirmation_sent_at <= facteur_now() - make_interval(secs => ${rules.askAfterSeconds}), true) as unasked,
        case
          when s.status in ('unsubscribed', 'bounced', 'complained') then 'status.' || s.status
          when x.reason is not null then 'suppressed.' || x.reason
          when g.reason is not null then 'suppressed.' || g.reason
          when e.reason is not null then 'suppressed.' || e.reason
          when f.erased_at is not null then 'erased'
          when p.again or s.import_id = ${rules.importId} then 'duplicate'
          when cardinality(s.tags) + cardinality(p.tags::text[]) > ${limits.subscriberTagsInAllMax} and exists (
              select from unnest(p.tags::text[]) t where t <> all (s.tags) offset greatest(0, ${limits.subscriberTagsInAllMax} - cardinality(s.tags)))
            then 'tags.too_many_in_all'
          when s.status is null then 'new' else 'known' end as verdict
      from ${rowList(rows, 'p', {
        bigint: ['line'],
        uuid: ['id'],
        text: ['email', 'firstName', 'lastName', 'tags', 'fields'],
        boolean: ['again'],
      })}
      -- One look-up by key for each: a join might read a whole list for every line.
      left join lateral (select status, import_id, confirmation_sent_at, tags from subscriber where workspace_id = ${workspaceId} and email = p.email limit 1) s on true
      left join lateral (select reason from suppression where workspace_id = ${workspaceId} and email = p.email limit 1) x on true
      left join lateral (select reason from platform_suppression where email = p.email limit 1) g on true
      left join lateral (
        select reason from erased_suppression where workspace_id = ${workspaceId}
          and digest = facteur_erasure_digest((select erasure_salt from workspace where id = ${workspaceId}), p.email) limit 1) e on true
      left join lateral (
        select erased_at from erased_contact where workspace_id = ${workspaceId}
          and digest = facteur_erasure_digest((select erasure_salt from workspace where id = ${workspaceId}), p.email)
          and erased_at >= coalesce(${rules.since}::timestamptz, (
            select started_at from subscriber_import where workspace_id = ${workspaceId} and id = ${rules.importId})) limit 1) f on true
    ), kept as (
      insert into subscriber as s (workspace_id, id, email, status, first_name, last_name, tags, fields, source, import_id, created_at, updated_at, confirmation_sent_at)
      select ${workspaceId}, j.id, j.email, ${rules.status}, j.first_name, j.last_name, coalesce(j.tags::text[], '{}'),
        coalesce(j.fields::jsonb, '{}'), 'import', ${rules.importId}, moment.at, moment.at, case when j.unasked then moment.at end
      from checked j, moment where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by j.email
      on conflict (workspace_id, email) do update set
        first_name = coalesce(excluded.first_name, s.first_name), last_name = coalesce(excluded.last_name, s.last_name),
        tags = case when excluded.tags <@ s.tags then s.tags
                    else s.tags || array(select t from unnest(excluded.tags) t where t <> all (s.tags)
                      limit greatest(0, ${limits.subscriberTagsInAllMax} - cardinality(s.tags))) end,
        fields = s.fields || excluded.fields, import_id = excluded.import_id, updated_at = excluded.updated_at,
        confirmation_sent_at = coalesce(excluded.confirmation_sent_at, s.confirmation_sent_at)
        -- A contact who left since this statement began stays unchanged.
        where s.status in ('pending', 'subscribed')
      -- A row that this statement made has no earlier version.
      returning s.id, s.email, s.status, s.updated_at, s.xmax = 0 as made, s.status = 'pending' and s.confirmation_sent_at = s.updated_at as asked
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, count(*) from kept where made and status = 'subscribed' having count(*) > 0
    ), ${noteForSearch(workspaceId)}, evidence as (
      insert into consent_evidence (workspace_id, id, subscriber_id, email, act, shown, source, recorded_by, at)
      select ${workspaceId}, s.id, s.id, s.email, 'registered', ${rules.consent}, 'import', ${rules.person}, moment.at
      from kept s, moment where s.made and ${rules.consent}::text is not null
    ), named as (
      insert into subscriber_tag (workspace_id, name, created_at)
      select distinct ${workspaceId}::bigint, t.name, moment.at
      from checked j, moment, unnest(j.tags::text[]) as t (name)
      where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by t.name
      on conflict do nothing
    )
    select verdict, count(*)::int as count, case when verdict not in ('new', 'known') then array_agg(line::int) end as lines, null as asked
    from checked group by verdict
    union all
    select 'asked', count(*)::int, null, jsonb_agg(jsonb_build_object('id', id, 'email', email)) from kept where asked having count(*) > 0`)
}

/** A list of tags in PostgreSQL's own notation: one text of an array of texts. */
const arrayText = (tags: string[]): string | null =>
  tags.length === 0 ? null : `{${tags.map((tag) => `"${tag.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

export interface ImportRefusal {
  line: number
  reason: string
  email: string
}

/** Stores the reasons of refused lines, in the transaction of their batch. */
export async function insertImportRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  refused: ImportRefusal[],
): Promise<void> {
  await db.count(sql`
    insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email)
    select ${workspaceId}, ${importId}, r.line, r.reason, r.email
    from ${rowList(refused, 'r', { bigint: ['line'], text: ['reason', 'email'] })}`)
}

/** Refused lines in their order, from after one on. */
export function importRefusalPage(
  db: Database,
  workspaceId: number,
  importId: string,
  { after, max }: { after: number; max: number },
): Promise<ImportRefusal[]> {
  return db.rows<ImportRefusal>(sql`
    select line, reason, email from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} and line > ${after} order by line limit ${max}`)
}

/**
 * For a dry run: the addresses that its earlier lines would have stored. A transaction of its own holds them, which
 * writes nothing else and stays open as long as the run.
 */
export async function beginSeen(tx: Database): Promise<void> {
  await tx.count(sql`set local idle_in_transaction_session_timeout = 0`)
  await tx.count(sql`create temporary table import_seen (email text primary key) on commit drop`)
}

/** Which of these addresses were seen before. */
export async function alreadySeen(tx: Database, emails: string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ email: string }>(sql`
    select s.email from unnest(${emails}::text[]) as a (email) join import_seen s on s.email = a.email`)
  return new Set(rows.map(({ email }) => email))
}

export async function markSeen(tx: Database, emails: string[]): Promise<void> {
  await tx.count(sql`insert into import_seen select * from unnest(${emails}::text[]) on conflict do nothing`)
}

/**
 * Imported subscribers whose address was being suppressed at the same time: the suppression exists, and they are
 * still in the audience.
 */
export function importedThoughSuppressed(db: Database, workspaceId: number, importId: string, max: number): Promise<string[]> {
  return db.column<string>(sql`
    with recent as materialized (
      -- The import saw each suppression from before its start; the minute covers a transaction that was under way.
      select x.email from subscriber_import i join suppression x on x.workspace_id = ${workspaceId} and x.created_at >= i.started_at - interval '1 minute'
      where i.workspace_id = ${workspaceId} and i.id = ${importId}
    )
    select r.email from recent r
    cross join lateral (
      select status, import_id from subscriber where workspace_id = ${workspaceId} and email = r.email limit 1) s
    where s.import_id = ${importId} and s.status in ('pending', 'subscribed') limit ${max}`)
}

/**
 * Deletes the oldest import of subscribers and that of suppressed addresses of more than `days` days ago: their refusals, up to
 * `max` of each at once, and then the import. Answers how many rows.
 */
export function deleteOldImports(db: Database, workspaceId: number, days: number, max: number): Promise<number> {
  return db.count(sql`
    with old as materialized (
      (select id from subscriber_import
       where workspace_id = ${workspaceId} and started_at < (select facteur_now() - make_interval(days => ${days})) order by started_at limit 1)
      union all
      (select id from suppression_file
       where workspace_id = ${workspaceId} and started_at < (select facteur_now() - make_interval(days => ${days})) order by started_at limit 1)
    ), lines as materialized (
      select r.import_id, r.line from old
      cross join lateral (
        select import_id, line from subscriber_import_refusal where workspace_id = ${workspaceId} and import_id = old.id limit ${max}) r
    ), refusals as (
      delete from subscriber_import_refusal r using lines l
      where r.workspace_id = ${workspaceId} and r.import_id = l.import_id and r.line = l.line
      returning 1
    ), done as materialized (
      select id from old where not exists (select from lines where import_id = old.id)
    ), subscribers as (
      delete from subscriber_import i using done where i.workspace_id = ${workspaceId} and i.id = done.id returning 1
    ), suppressions as (
      delete from suppression_file i using done where i.workspace_id = ${workspaceId} and i.id = done.id returning 1
    )
    select 1 from refusals union all select 1 from subscribers union all select 1 from suppressions`)
}

/** Keys of the fields that a workspace has defined: a hundred at most. */
export function fieldKeysOf(db: Database, workspaceId: number): Promise<string[]> {
  return db.column<string>(sql`
    select key from subscriber_field where workspace_id = ${workspaceId} order by key`)
}
