/**
 * How long each class of data is stored: limits of the installation, which a workspace may shorten,
 * and the moment before which data has expired.
 */
import {
  retentionClassNames,
  retentionClasses,
  type RetentionClassName,
} from '../../contract/retention.ts'
import { fragment, type Fragment } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface RetentionLimit {
  /** Null means for ever. */
  days: number | null
  /**
   * Data from before this moment has expired. Null if none has. It never moves back, not even when
   * a limit becomes longer.
   */
  before: Date | null
  /**
   * Data from before this moment had expired when the limit became longer, at `changedAt`. Null
   * means it never became longer.
   */
  goneBefore: Date | null
  /** Null if it is the default. */
  changedAt: Date | null
}

export type RetentionLimits = Record<RetentionClassName, RetentionLimit>

export interface WorkspaceLimit extends RetentionLimit {
  /** The installation's limit. */
  installationDays: number | null
  /** What the owner chose. Null means nothing. It applies where it is the shorter. */
  ownDays: number | null
}

export type WorkspaceLimits = Record<RetentionClassName, WorkspaceLimit>

/** The classes and their defaults, in the same order. */
const names: string[] = retentionClassNames
const defaults: (number | null)[] = retentionClassNames.map(
  (name) => retentionClasses[name].daysDefault,
)

/** Null means for ever, or an upgraded installation does not apply the default yet. */
const appliedDays = fragment`
  case when r.class is not null then r.days when not facteur_retention_waits() then c.days end`

/**
 * From when an upgraded installation applies the default limits, so that there is time to choose
 * others. Null means it applies them.
 */
export function defaultLimitsFrom(db: Database): Promise<Date | null> {
  return db.value<Date>(
    sql`select retention_from from installation where facteur_retention_waits()`,
  )
}

/** The limits of the installation. */
export async function installationRetention(db: Database): Promise<RetentionLimits> {
  const rows = await db.rows<RetentionLimit & { class: RetentionClassName }>(sql`
    select class, days, greatest(facteur_now() - make_interval(days => applied_days), gone_before) as before,
      gone_before,
      changed_at
    from (
      select c.class, case when r.class is null then c.days else r.days end as days,
        ${appliedDays} as applied_days, r.gone_before, r.changed_at
      from unnest(${names}::text[], ${defaults}::int[]) c (class, days)
      left join retention r on r.class = c.class) l`)
  return byClass(rows)
}

/** The limits of one workspace: the shorter of the installation's and its own. */
export async function workspaceRetention(
  db: Database,
  workspaceId: number,
): Promise<WorkspaceLimits> {
  const rows = await db.rows<WorkspaceLimit & { class: RetentionClassName }>(sql`
    select class, least(installation_days, own_days) as days, installation_days, own_days,
      greatest(facteur_now() - make_interval(days => least(applied_days, own_days)), gone_before) as before,
      gone_before, changed_at
    from (
      select c.class, case when r.class is null then c.days else r.days end as installation_days,
        ${appliedDays} as applied_days, w.days as own_days,
        greatest(r.gone_before, w.gone_before) as gone_before,
          greatest(r.changed_at, w.changed_at) as changed_at
      from unnest(${names}::text[], ${defaults}::int[]) c (class, days)
      left join retention r on r.class = c.class
      left join workspace_retention w on w.workspace_id = ${workspaceId} and w.class = c.class) l`)
  return byClass(rows)
}

/**
 * The workspaces whose own data of a class expires before the installation's does, with that
 * moment.
 */
export function shortenedWorkspaces(
  db: Database,
): Promise<{ workspaceId: number; class: RetentionClassName; before: Date }[]> {
  return db.rows(sql`
    select workspace_id, class, own as before from (
      select w.workspace_id, c.class,
        greatest(facteur_now() - make_interval(days => w.days), w.gone_before) as own,
        greatest(facteur_now() - make_interval(days => ${appliedDays}), r.gone_before) as installation
      from workspace_retention w
      join unnest(${names}::text[], ${defaults}::int[]) c (class, days) on c.class = w.class
      left join retention r on r.class = w.class) l
    where own > coalesce(installation, '-infinity')
    order by workspace_id, class`)
}

/** So many days before the change; by UTC, so that no setting of the session is asked. */
const before = (days: Fragment): Fragment =>
  fragment`(excluded.changed_at at time zone 'utc' - make_interval(days => ${days})) at time zone 'utc'`

/** Sets a limit of the installation. Data that expired under a shorter one stays expired. */
export async function setInstallationRetention(
  db: Database,
  name: RetentionClassName,
  days: number | null,
): Promise<void> {
  await db.count(sql`
    with chosen as materialized (
      select c.class, n.days, facteur_now() as at,
        case when (n.days is null or n.days > c.days)
          and not facteur_retention_waits()
          then facteur_now() - make_interval(days => c.days) end as gone_before
      from unnest(${names}::text[], ${defaults}::int[]) c (class, days), (values (${days}::int)) n (days)
      where c.class = ${name}
    )
    insert into ${home}retention as r (class, days, gone_before, changed_at)
    select class, days, gone_before, at from chosen
    on conflict (class) do update set days = excluded.days, changed_at = excluded.changed_at,
      gone_before = greatest(r.gone_before,
        case when excluded.days is null or excluded.days > r.days then ${before(fragment`r.days`)} end)`)
}

/**
 * Sets what a workspace chose; null takes it back. Data that expired under a shorter limit stays
 * expired.
 */
export async function setWorkspaceRetention(
  db: Database,
  workspaceId: number,
  name: RetentionClassName,
  days: number | null,
): Promise<void> {
  await db.count(sql`
    insert into workspace_retention as w (workspace_id, class, days, changed_at)
    values (${workspaceId}, ${name}, ${days}, facteur_now())
    on conflict (workspace_id, class) do update set days = excluded.days, changed_at = excluded.changed_at,
      gone_before = greatest(w.gone_before,
        case when excluded.days is null or excluded.days > w.days then ${before(fragment`w.days`)} end)`)
}

function byClass<Limit extends RetentionLimit>(
  rows: (Limit & { class: RetentionClassName })[],
): Record<RetentionClassName, Limit> {
  // The statement answers a row for each class.
  return Object.fromEntries(
    rows.map(({ class: name, ...limit }) => [name, limit]),
  ) as unknown as Record<RetentionClassName, Limit>
}
