/**
 * Names the primary of the database, its timeline, and whether the standby is there that commits
 * wait for.
 */
import type { Connection } from '../../../database/client/connect.ts'
import { replicationState } from '../../../database/client/replication-state.ts'
import { describePrimary } from '../../../database/client/servers.ts'
import { failed, passed, type Check } from './check.ts'

export async function checkPrimary(db: Connection): Promise<Check> {
  const { isSynchronous, connected, synchronous, hidden } = await replicationState(db)
  const primary = db.primary()
  const about = primary === null ? 'the server' : describePrimary(primary)
  const standbys = connected === 0 ? 'no standby is connected' : `standbys connected: ${connected}`
  if (!isSynchronous) return passed('primary', `${about}; commits wait for no standby; ${standbys}`)
  if (synchronous.length > 0)
    return passed(
      'primary',
      `${about}; commits wait for a standby, and it is connected: ${synchronous.join(', ')}`,
    )
  if (hidden > 0)
    return passed(
      'primary',
      `${about}; commits wait for a standby; ${standbys}. Only a member of pg_read_all_stats sees whether it is the one`,
    )
  return failed(
    'primary',
    `${about}; commits wait for a standby, and none of synchronous_standby_names is connected: every write waits`,
    'Start that standby, with its application_name in primary_conninfo; or empty synchronous_standby_names on the primary until it is back.',
  )
}
