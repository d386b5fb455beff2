/** Makes a database ready to become a copy, or continues what an earlier run began there. */
import { findContent } from '../load-tables.ts'
import { migrate } from '../../schema/migrate.ts'
import { migrationsFolder, readMigrations } from '../../schema/migration-files.ts'
import { copiedTables } from '../copied-tables.ts'
import { inTransactionOf, withCopyClient } from '../copy-client.ts'
import {
  hasPartitions,
  prepareTarget,
  readMark,
  takeConstraints,
  undoPreparation,
} from './copy-target.ts'
import type { CopySource } from './read-source.ts'
import { OperatorError } from '../../../ground/operator-error.ts'

export interface OpenTarget {
  to: string
  source: CopySource
  /** The number of this copy: what was begun under another one is not continued. */
  copy: string
  progress(text: string): void
  signal: AbortSignal
}

/**
 * Throws `OperatorError` for a database that is in use, or has tables of others; then nothing was
 * changed. Answers whether it continues.
 */
export async function openTarget({
  to,
  source,
  copy,
  progress,
  signal,
}: OpenTarget): Promise<{ continues: boolean }> {
  const migrations = source.migrations.map(({ name }) => name)
  const { installation, tables, partitions } = source
  refuseUnknown(source)
  return withCopyClient(to, async (target) => {
    const mark = await readMark(target)
    if (mark && mark.installation !== installation)
      throw new OperatorError(
        'The target is an unfinished copy of another installation: name an empty database. Nothing was changed.',
      )
    const isSame = mark?.copy === copy && mark.migrations.join() === migrations.join()
    if (isSame && (await hasPartitions(target, partitions))) {
      await inTransactionOf(target, 'begin', () => takeConstraints(target, tables))
      return { continues: true }
    }
    if (mark) await undoPreparation(target, await copiedTables(target))
    else await refuseUsed(to, migrations)
    await migrate(to, { only: migrations, signal, progress, completesStatistics: false })
    await prepareTarget(target, { mark: { copy, installation, migrations }, tables, partitions })
    return { continues: false }
  })
}

async function refuseUsed(to: string, known: readonly string[]): Promise<void> {
  const { migrations, isUsed, others } = await findContent(to)
  if (isUsed)
    throw new OperatorError(
      'The target holds an installation already: name an empty database. Nothing was changed.',
    )
  const strange = others[0] ?? migrations.find((name) => !known.includes(name))
  if (strange !== undefined)
    throw new OperatorError(
      `The target is not empty (it has ${strange}): name an empty database. Nothing was changed.`,
    )
}

/**
 * The tables of the target are made by the migrations of the source, as this version of Facteur has
 * them.
 */
function refuseUnknown({ migrations }: CopySource): void {
  const files = readMigrations(migrationsFolder)
  const unknown = migrations.find((applied) =>
    files.every(({ name, hash }) => name !== applied.name || hash !== applied.hash),
  )
  if (unknown)
    throw new OperatorError(
      `The database is of another version of Facteur (it has ${unknown.name}): copy it with that version. Nothing was changed.`,
    )
}
