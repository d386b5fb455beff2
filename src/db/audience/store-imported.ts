/** Validates a batch of an import of subscribers and stores it, in one statement. */
import { limits } from '../../contract/limits.ts'
import { fragment, rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { noteForSearch } from './subscribers.ts'

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
  /** The file calls them pending: they stay so when they are new, and get no mail. */
  pending: boolean
  /** An earlier line of the same file has this address. */
  again: boolean
}

export interface ImportRules {
  importId: string
  /**
   * The status of new subscribers: subscribed by the operator's word, or pending until they
   * confirm.
   */
  status: 'subscribed' | 'pending'
  /** The stored evidence for each new subscriber that is subscribed. */
  consent: string | null
  /** The user of the workspace who gave it. */
  person: string | null
  /** The key by which the file came. Null means by none. */
  apiKeyId: string | null
  /**
   * Existing pending subscribers get another confirmation mail if the last one is older than this.
   */
  askAfterSeconds: number
  /**
   * When the file arrived: it does not bring back contacts that were erased since. Null means when
   * the import began.
   */
  since: Date | null
  /** How many may be asked to confirm; the others are refused. Null means all. */
  asksMax: number | null
  /** False means a dry run. */
  store: boolean
}

export interface ImportVerdicts {
  /**
   * Lines with the verdicts `new` and `known` are stored. Every other verdict names the refusal.
   */
  verdicts: {
    verdict: string
    count: number
    /** The refused lines. */
    lines: number[] | null
  }[]
  /** The subscribers that get the confirmation mail in this transaction. */
  toConfirm: { id: string; email: string }[]
}

/**
 * Validates a batch and stores it, all or nothing; answers lines by verdict. It writes subscribers
 * in the order of their addresses, so that two writers never deadlock.
 */
export function storeImported(
  db: Database,
  workspaceId: number,
  imported: ImportedSubscriber[],
  rules: ImportRules,
): Promise<ImportVerdicts> {
  const rows = imported.map((row) => ({ ...row, tags: arrayText(row.tags) }))
  // 1. moment: the time of all rows of the batch.
  // 2. classified: each line with the state of its address, and the verdict that follows.
  // 3. checked: more confirmations than may be sent are refused.
  // 4. stored: the subscribers, new and known, in the order of their addresses.
  // 5. tallied: the number of subscribed ones.
  // 6. unsearched, and its lane: the search indexes them later.
  // 7. evidence: the consent that the import states.
  // 8. named: their tags.
  return db.onlyRow<ImportVerdicts>(sql`
    with moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
    ), classified as materialized (
      select p.*,
        ${rules.status} = 'pending' and not p.pending and coalesce(s.status, 'pending') = 'pending'
          and coalesce(
            s.confirmation_sent_at <= facteur_now() - make_interval(secs => ${rules.askAfterSeconds}),
            true) as unasked,
        case
          when s.status in ('unsubscribed', 'bounced', 'complained') then 'status.' || s.status
          when x.reason is not null then 'suppressed.' || x.reason
          when g.reason is not null then 'suppressed.' || g.reason
          when e.reason is not null then 'suppressed.' || e.reason
          when f.erased_at is not null then 'erased'
          when p.again or s.import_id = ${rules.importId} then 'duplicate'
          when cardinality(s.tags) + cardinality(p.tags::text[]) > ${limits.subscriberTagsInAllMax}
            and exists (
              select from unnest(p.tags::text[]) t
              where t <> all (s.tags)
              offset greatest(0, ${limits.subscriberTagsInAllMax} - cardinality(s.tags)))
            then 'tags.too_many_in_all'
          when s.status is null then 'new' else 'known' end as first_verdict
      from ${rowList(rows, 'p', {
        bigint: ['line'],
        uuid: ['id'],
        text: ['email', 'firstName', 'lastName', 'tags', 'fields'],
        boolean: ['again', 'pending'],
      })}
      -- One look-up by key for each: a join might read a whole list for every line.
      left join lateral (
        select status, import_id, confirmation_sent_at, tags
        from subscriber
        where workspace_id = ${workspaceId} and email = p.email
        limit 1
      ) s on true
      left join lateral (
        select reason
        from suppression
        where workspace_id = ${workspaceId} and email = p.email
        limit 1
      ) x on true
      left join lateral (select reason from platform_suppression where email = p.email limit 1) g on true
      left join lateral (
        select reason
        from erased_suppression
        where workspace_id = ${workspaceId}
          and digest = facteur_erasure_digest(
            (select erasure_salt from workspace where id = ${workspaceId}), p.email)
        limit 1
      ) e on true
      left join lateral (
        select erased_at
        from erased_contact
        where workspace_id = ${workspaceId}
          and digest = facteur_erasure_digest(
            (select erasure_salt from workspace where id = ${workspaceId}), p.email)
          and erased_at >= coalesce(${rules.since}::timestamptz, (
            select started_at
            from subscriber_import
            where workspace_id = ${workspaceId} and id = ${rules.importId}))
        limit 1
      ) f on true
    ), checked as materialized (
      select c.*,
        case
          when c.unasked and c.first_verdict in ('new', 'known')
            and ${rules.asksMax}::bigint < count(*)
              filter (where c.unasked and c.first_verdict in ('new', 'known')) over (order by c.line)
            then 'confirmations'
          else c.first_verdict end as verdict
      from classified c
    ), stored as (
      insert into subscriber as s (workspace_id, id, email, status, first_name, last_name, tags, fields,
        source, import_id, created_at, updated_at, confirmation_sent_at)
      select ${workspaceId}, j.id, j.email, case when j.pending then 'pending' else ${rules.status} end,
        j.first_name, j.last_name, coalesce(j.tags::text[], '{}'),
        coalesce(j.fields::jsonb, '{}'), 'import', ${rules.importId}, moment.at, moment.at,
        case when j.unasked then moment.at end
      from checked j, moment where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by j.email
      on conflict (workspace_id, email) do update set
        first_name = coalesce(excluded.first_name, s.first_name),
        last_name = coalesce(excluded.last_name, s.last_name),
        tags = case when excluded.tags <@ s.tags then s.tags
                    else s.tags || array(select t from unnest(excluded.tags) t where t <> all (s.tags)
                      limit greatest(0, ${limits.subscriberTagsInAllMax} - cardinality(s.tags))) end,
        fields = s.fields || excluded.fields, import_id = excluded.import_id,
        updated_at = excluded.updated_at,
        confirmation_sent_at = coalesce(excluded.confirmation_sent_at, s.confirmation_sent_at)
        -- A contact who left since this statement began stays unchanged.
        where s.status in ('pending', 'subscribed')
      -- A row that this statement inserts has no earlier version.
      returning s.id, s.email, s.status, s.updated_at, s.xmax = 0 as is_new,
        s.status = 'pending' and s.confirmation_sent_at = s.updated_at as is_to_confirm
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, count(*) from stored where is_new and status = 'subscribed' having count(*) > 0
    ), ${noteForSearch(workspaceId, fragment`stored`)}, evidence as (
      insert into consent_evidence (workspace_id, id, subscriber_id, api_key_id, email, act, shown, source,
        recorded_by, at)
      select ${workspaceId}, s.id, s.id, ${rules.apiKeyId}::uuid, s.email, 'registered', ${rules.consent},
        'import', ${rules.person}, moment.at
      from stored s, moment where s.is_new and s.status = 'subscribed' and ${rules.consent}::text is not null
    ), named as (
      insert into subscriber_tag (workspace_id, name, created_at)
      select distinct ${workspaceId}::bigint, t.name, moment.at
      from checked j, moment, unnest(j.tags::text[]) as t (name)
      where ${rules.store}::boolean and j.verdict in ('new', 'known')
      order by t.name
      on conflict do nothing
    )
    select
      (select coalesce(jsonb_agg(v), '[]')
        from (
          select verdict, count(*)::int as count,
            case when verdict not in ('new', 'known') then array_agg(line::int) end as lines
          from checked
          group by verdict) v) as verdicts,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'email', email)), '[]')
        from stored
        where is_to_confirm) as to_confirm`)
}

/** A list of tags in PostgreSQL's own notation: one text of an array of texts. */
const arrayText = (tags: string[]): string | null =>
  tags.length === 0
    ? null
    : `{${tags.map((tag) => `"${tag.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
