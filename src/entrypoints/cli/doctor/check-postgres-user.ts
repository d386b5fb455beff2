/**
 * Checks which user the embedded PostgreSQL runs as: data of earlier versions belongs to `nobody`,
 * whom other services share.
 */
import type { Config } from '../../../ground/config.ts'
import { findAnyLocation } from '../../../database/embedded/postgres-location.ts'
import { lineForOwnUser } from '../../../database/embedded/postgres-user.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { warned, type Check } from './check.ts'

/** Null where there is nothing to change. */
export function checkPostgresUser({
  databaseUrl,
  dataFolder,
}: Pick<Config, 'databaseUrl' | 'dataFolder'>): Check | null {
  const location = databaseUrl === null ? findPlace(dataFolder) : null
  const line = location && lineForOwnUser(location)
  return line === null
    ? null
    : warned(
        'database user',
        'the embedded PostgreSQL runs as nobody, as other services may do',
        `Stop the service, then: ${line}`,
      )
}

/** A faulty data folder is a finding about its database. */
function findPlace(dataFolder: string): ReturnType<typeof findAnyLocation> {
  try {
    return findAnyLocation(dataFolder)
  } catch (error) {
    if (error instanceof OperatorError) return null
    throw error
  }
}
