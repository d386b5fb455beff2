/** The standbys of the primary, as far as our role may see them. */
import { sql } from './sql.ts'
import type { Database } from './database.ts'

export interface ReplicationState {
  /** Whether commits wait for a standby: `synchronous_standby_names` is set. */
  isSynchronous: boolean
  /** Standbys that are connected. */
  connected: number
  /** Names of those that commits wait for. */
  synchronous: string[]
  /** Those whose state only superusers and members of pg_read_all_stats see. */
  hidden: number
}

export function replicationState(db: Database): Promise<ReplicationState> {
  return db.onlyRow<ReplicationState>(sql`
    select current_setting('synchronous_standby_names') <> '' as is_synchronous,
      count(*) filter (where state is null or state in ('streaming', 'catchup'))::int as connected,
      coalesce(
        array_agg(application_name order by application_name)
          filter (where state = 'streaming' and sync_state in ('sync', 'quorum')),
        '{}') as synchronous,
      count(*) filter (where state is null)::int as hidden
    from pg_stat_replication`)
}
