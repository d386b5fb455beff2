/** The input of checks, their findings, and errors in the operator's words. */
import type { Config } from '../../../ground/config.ts'
import { homeCell } from '../../../database/cells/cell-changes.ts'
import { cells, type Cell } from '../../../database/cells/cells.ts'
import { connect, type Connection } from '../../../database/client/connect.ts'
import type { Outbound } from '../../../ground/outbound/create-outbound.ts'
import type { Surroundings } from '../command.ts'

export { failed, passed, warned } from '../../../providers/provider-check.ts'
export type { Check } from '../../../providers/provider-check.ts'

export interface DoctorParts {
  surroundings: Surroundings
  config: Config
  outbound: Outbound
}

/** Does a check in each cell, one after the other. */
export type EachCell = (inCell: (db: Connection, cell: Cell) => Promise<void>) => Promise<void>

/** Opens the database for a check, without migrating it. */
export const withCheckedDatabase = <T>(
  { surroundings, config }: DoctorParts,
  work: (db: Connection, eachCell: EachCell) => Promise<T>,
): Promise<T> =>
  surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
    const db = connect({ connectionString, poolSize: 2, applicationName: 'facteur doctor' })
    try {
      return await work(db, async (inCell) => {
        for (const cell of await cells(db)) {
          const there =
            cell.id === homeCell.id
              ? db
              : connect({
                  connectionString,
                  schema: cell.schema,
                  poolSize: 1,
                  applicationName: 'facteur doctor',
                })
          try {
            await inCell(there, cell)
          } finally {
            if (there !== db) await there.end()
          }
        }
      })
    } finally {
      await db.end()
    }
  })

export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
