/**
 * Checks whether data of an older PostgreSQL is left from a move to this one, and says how to
 * delete it.
 */
import type { Config } from '../../../ground/config.ts'
import { shownBytes } from '../../../ground/shown-values.ts'
import { olderData } from '../../../database/embedded/older-data.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { passed, type Check } from './check.ts'

export function checkOlderData({
  databaseUrl,
  dataFolder,
}: Pick<Config, 'databaseUrl' | 'dataFolder'>): Check[] {
  return databaseUrl !== null
    ? []
    : result(dataFolder).map(({ folder, major, bytes }) =>
        passed(
          'older data',
          `the data of PostgreSQL ${major} is left in ${folder} (${shownBytes(bytes)}), as it was before it was moved; delete that folder once you need no way back`,
        ),
      )
}

/** What is wrong with a data folder is a finding about its database. */
function result(dataFolder: string): ReturnType<typeof olderData> {
  try {
    return olderData(dataFolder)
  } catch (error) {
    if (error instanceof OperatorError) return []
    throw error
  }
}
