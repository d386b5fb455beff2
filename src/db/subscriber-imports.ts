/** Imports of subscribers: what each has done so far, and the one statement that judges and stores a batch of people. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

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

/** The unfinished import of this fingerprint, or a new one that has done nothing. */
export async function findOrStartImport(
  db: Database,
  workspaceId: number,
  { id, fingerprint, fileName }: StartedImport & { id: string },
): Promise<ImportState> {
  const [row] = await db.rows<ImportState>(sql`
    insert into subscriber_import as i (workspace_id, id, fingerprint, file_name, started_at)
    values (${workspaceId}, ${id}, ${fingerprint}, ${fileName}, date_trunc('milliseconds', facteur_now()))
    on conflict (workspace_id, fingerprint) where finished_at is null do update set file_name = i.file_name
    returning id, records_done as "recordsDone", added, updated, refused`)
  if (!row) throw new Error('An upsert answered no row')
  return row
}

/**
 * Locks the import for this transaction. False when it does not stand where the caller thinks it does: another process imports
 * the same file, and one of the two must go.
 */
export async function lockImport(db: Database, workspaceId: number, id: string, recordsDone: number): Promise<boolean> {
  const rows = await db.rows(sql`
    select 1 from subscriber_import
    where workspace_id = ${workspaceId} and id = ${id} and records_done = ${recordsDone} and finished_at is null for update`)
  return rows.length > 0
}

/** Writes down what a batch came to, in its transaction. */
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

/** One person of a batch. */
export interface ImportedPerson {
  /** For a record that is new, and for the evidence of it. */
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
  /** What new people are: subscribed by the operator's word, or pending until they confirm. */
  status: 'subscribed' | 'pending'
  /** Words kept as evidence of each new person that is subscribed. */
  consent: string | null
  /** False only judges. */
  store: boolean
}

/** What became of lines: `new` and `known` are stored, everything else is why not. */
export interface Verdict {
  verdict: string
  count: number
  /** Which they are; null for people who were stored and of whom nothing is to be done. */
  lines: number[] | null
}

/**
 * Judges a batch and stores it, all or nothing: lines by verdict. People are written in the order of their addresses, so that
 * two writers never wait for each other in a circle.
 */
export function storeImported(
  db: Database,
  workspaceId: number,
  people: ImportedPerson[],
  rules: ImportRules,
): Promise<Verdict[]> {
  const hasTags = people.some(({ tags }) => tags.length > 0)
  const hasFields = people.some(({ fields }) => fields !== null)
  return db.rows<Verdict>(sql`
    with moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), judged as materialized (
      select p.*, case
          when s.status in ('unsubscribed', 'bounced', 'complained') then 'status.' || s.status
          when x.reason is not null then 'suppressed.' || x.reason
          when g.reason is not null then 'suppressed.' || g.reason
          when e.reason is not null then 'suppressed.' || e.reason
          when p.again or s.import_id = ${rules.importId} then 'duplicate'
          when s.status is null then 'new' else 'known' end as verdict
      from unnest(${people.map((p) => p.line)}::bigint[], ${people.map((p) => p.id)}::uuid[],
                  ${people.map((p) => p.email)}::text[],
                  ${people.map((p) => p.firstName)}::text[], ${people.map((p) => p.lastName)}::text[],
                  ${hasTags ? people.map((p) => arrayText(p.tags)) : []}::text[],
                  ${hasFields ? people.map((p) => p.fields) : []}::text[], ${people.map((p) => p.again)}::boolean[])
        as p (line, id, email, first_name, last_name, tags, fields, again)
      left join subscriber s on s.workspace_id = ${workspaceId} and s.email = p.email
      left join suppression x on x.workspace_id = ${workspaceId} and x.email = p.email
      left join platform_suppression g on g.email = p.email
      left join erased_suppression e on e.workspace_id = ${workspaceId}
        and e.digest = facteur_erasure_digest((select erasure_salt from workspace where id = ${workspaceId}), p.email)
    ), stored as (
      insert into subscriber as s (workspace_id, id, email, status, first_name, last_name, tags, fields, source, import_id, created_at, updated_at)
      select ${workspaceId}, j.id, j.email, ${rules.status}, j.first_name, j.last_name, coalesce(j.tags::text[], '{}'),
        coalesce(j.fields::jsonb, '{}'), 'import', ${rules.importId}, moment.at, moment.at
      from judged j, moment where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by j.email
      on conflict (workspace_id, email) do update set
        first_name = coalesce(excluded.first_name, s.first_name), last_name = coalesce(excluded.last_name, s.last_name),
        tags = case when excluded.tags <@ s.tags then s.tags
                    else s.tags || array(select t from unnest(excluded.tags) t where t <> all (s.tags)) end,
        fields = s.fields || excluded.fields, import_id = excluded.import_id, updated_at = excluded.updated_at
        -- One who left since this statement began is not touched.
        where s.status in ('pending', 'subscribed')
      -- A row that this statement made has no earlier version.
      returning s.id, s.email, s.status, s.xmax = 0 as made
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, count(*) from stored where made and status = 'subscribed' having count(*) > 0
    ), unsearched as (
      insert into subscriber_unsearched (workspace_id, subscriber_id) select ${workspaceId}, id from stored
      on conflict (workspace_id, subscriber_id) do update set subscriber_id = excluded.subscriber_id
    ), hinted as materialized (
      select next_at from due where workspace_id = ${workspaceId} and lane = 'subscribers' for key share
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'subscribers', at from moment where exists (select from stored) and not exists (select from hinted)
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
    ), evidence as (
      insert into consent (workspace_id, id, subscriber_id, email, act, shown, source, at)
      select ${workspaceId}, s.id, s.id, s.email, 'registered', ${rules.consent}, 'import', moment.at
      from stored s, moment where s.made and ${rules.consent}::text is not null
    ), named as (
      insert into subscriber_tag (workspace_id, name, created_at)
      select distinct ${workspaceId}::bigint, t.name, moment.at
      from judged j, moment, unnest(j.tags::text[]) as t (name)
      where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by t.name
      on conflict do nothing
    )
    select verdict, count(*)::int as count,
      case when verdict <> 'known' and (verdict <> 'new' or ${rules.status} = 'pending') then array_agg(line::int) end as lines
    from judged group by verdict`)
}

/** A list of tags in PostgreSQL's own spelling: one text of an array of texts. */
const arrayText = (tags: string[]): string | null =>
  tags.length === 0 ? null : `{${tags.map((tag) => `"${tag.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

export interface ImportRefusal {
  line: number
  reason: string
  email: string
}

/** Keeps why lines were refused, in the transaction of their batch. */
export async function insertImportRefusals(
  db: Database,
  workspaceId: number,
  importId: string,
  refused: ImportRefusal[],
): Promise<void> {
  await db.count(sql`
    insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email)
    select ${workspaceId}, ${importId}, r.line, r.reason, r.email
    from unnest(${refused.map((r) => r.line)}::bigint[], ${refused.map((r) => r.reason)}::text[], ${refused.map((r) => r.email)}::text[])
      as r (line, reason, email)`)
}

/** Refused lines in their order, from after one on. */
export function importRefusalPage(
  db: Database,
  workspaceId: number,
  importId: string,
  { after, most }: { after: number; most: number },
): Promise<ImportRefusal[]> {
  return db.rows<ImportRefusal>(sql`
    select line, reason, email from subscriber_import_refusal
    where workspace_id = ${workspaceId} and import_id = ${importId} and line > ${after} order by line limit ${most}`)
}

/**
 * For an import that only judges: addresses that its earlier lines would have stored, kept by the transaction it runs in, which
 * writes nothing else and may rest as long as its file does.
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

export async function noteSeen(tx: Database, emails: string[]): Promise<void> {
  await tx.count(sql`insert into import_seen select * from unnest(${emails}::text[]) on conflict do nothing`)
}

/** Which of these field keys a workspace has not defined yet, and how many it has. */
export async function missingFields(
  db: Database,
  workspaceId: number,
  keys: string[],
): Promise<{ missing: string[]; defined: number }> {
  const [row] = await db.rows<{ missing: string[]; defined: number }>(sql`
    select (select count(*) from subscriber_field where workspace_id = ${workspaceId}) as defined,
      array(select k from unnest(${keys}::text[]) k
            where not exists (select from subscriber_field f where f.workspace_id = ${workspaceId} and f.key = k)) as missing`)
  return row ?? { missing: keys, defined: 0 }
}

export async function defineFields(db: Database, workspaceId: number, keys: string[]): Promise<void> {
  await db.count(sql`
    insert into subscriber_field (workspace_id, key, created_at)
    select ${workspaceId}, k, date_trunc('milliseconds', facteur_now()) from unnest(${keys}::text[]) k order by k
    on conflict do nothing`)
}
