/**
 * Reads from the catalog what a copy of a database has to make: its tables, partitions, sequences
 * and migrations.
 */
import type pg from 'pg'
import { OperatorError } from '../../../ground/operator-error.ts'
import { otherCells } from '../../schema/migrated-cells.ts'
import { readSequences, type SequenceState } from '../read-snapshot.ts'
import { partitionShapes, type PartitionShape } from '../table-shapes.ts'
import { copiedTables, type CopiedTable } from '../copied-tables.ts'

export interface CopySource {
  /**
   * The fingerprint of the installation's master key. Null means no service ever started on this
   * database.
   */
  installation: string | null
  migrations: { name: string; hash: string }[]
  tables: CopiedTable[]
  partitions: PartitionShape[]
  sequences: SequenceState[]
}

/**
 * Of a database of this version of Facteur, or of an older one. Throws `OperatorError` for one with
 * several cells.
 */
export async function readSource(client: pg.ClientBase): Promise<CopySource> {
  const { rows } = await client.query<{
    isMigrated: boolean
    hasCompatible: boolean
    hasKey: boolean
  }>(
    `
      select to_regclass('schema_migration') is not null as "isMigrated",
        to_regclass('compatible_migration') is not null as "hasCompatible",
        exists (
          select from pg_attribute
          where attrelid = to_regclass('installation') and attname = 'master_key_fingerprint') as "hasKey"`,
  )
  const has = rows[0]
  if ((await otherCells(client)).length > 0)
    throw new OperatorError(
      'This installation has several cells, and a copy would hold the tables of cell 1 alone: copy the whole database with pg_dump while the service stands still.',
    )
  const migrations = has?.isMigrated
    ? await client.query<{ name: string; hash: string }>(
        `
          select name, hash from schema_migration
          ${has.hasCompatible ? 'union all select name, hash from compatible_migration' : ''}
          order by name`,
      )
    : { rows: [] }
  const installation = has?.hasKey
    ? await client.query<{ fingerprint: string }>(
        'select master_key_fingerprint as fingerprint from installation',
      )
    : { rows: [] }
  return {
    installation: installation.rows[0]?.fingerprint ?? null,
    migrations: migrations.rows,
    tables: await copiedTables(client),
    partitions: await partitionShapes(client),
    sequences: await readSequences(client),
  }
}
