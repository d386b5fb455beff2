/**
 * Copies a whole database into an empty one while nobody writes to it, and proves that both are the
 * same (docs/decisions/0050-moves.md). A run that was cut off is continued by the next one, table
 * by table.
 */
import { beginSnapshot, inTransactionOf, withCopyClient } from '../copy-client.ts'
import { copyLeaves } from './copy-leaves.ts'
import {
  countForPlanner,
  forgetLeaves,
  makeIndexes,
  removeMark,
  restoreConstraints,
  setSequences,
  validateForeignKeys,
} from './copy-target.ts'
import { differing, digestTables, shareOfReads } from '../table-digests.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { openTarget } from './open-target.ts'
import { readSource } from './read-source.ts'

export interface CopyProgress {
  step: 'rows' | 'indexes' | 'check'
  /** From 0 to 1, within the step. */
  share: number
  rows: number
  bytes: number
}

export interface CopyDatabase {
  /** Addresses of the two databases, such as `postgres://…`. */
  from: string
  to: string
  /** A few words about each step. */
  progress(text: string): void
  onProgress(progress: CopyProgress): void
  signal: AbortSignal
}

export interface CopiedDatabase {
  tables: number
  rows: number
  /** Of COPY's binary format, as far as this run passed them. */
  bytes: number
}

/**
 * The target has no tables of ours, or is what an earlier run of the same copy left. Throws
 * `OperatorError` when it is neither, and when a table differs after all. Until this returns, a
 * start refuses the target.
 */
export function copyDatabase({
  from,
  to,
  progress,
  onProgress,
  signal,
}: CopyDatabase): Promise<CopiedDatabase> {
  return withCopyClient(from, (source) =>
    inTransactionOf(source, `${beginSnapshot} read only`, async () => {
      const result = await readSource(source)
      progress('Preparing the tables')
      await openTarget({ to, source: result, copy: 'offline', progress, signal })
      return withCopyClient(to, async (target) => {
        const { tables } = result
        const copied = { rows: 0, bytes: 0 }
        // A table that an earlier run copied may have changed since.
        for (let isAgain = false; ; isAgain = true) {
          const { rows, bytes } = await copyLeaves({
            ...{ from: source, to: target, tables, signal },
            onProgress: (at) => onProgress({ step: 'rows', ...at }),
          })
          copied.rows = rows
          copied.bytes += bytes
          progress('Building the indexes')
          await makeIndexes(target, {
            signal,
            onIndex: (done, of) => onProgress({ step: 'indexes', share: done / of, ...copied }),
          })
          progress('Comparing every row')
          const onBytes = shareOfReads(tables, 2, (share) =>
            onProgress({ step: 'check', share, ...copied }),
          )
          const digestOf = (client: typeof source) =>
            digestTables(client, tables, { onBytes, signal })
          const wrong = differing(...(await Promise.all([digestOf(source), digestOf(target)])))
          if (wrong.length === 0) break
          if (isAgain)
            throw new OperatorError(
              `The copy differs from the database in ${wrong.join(', ')}. It is not used.`,
            )
          await forgetLeaves(
            target,
            tables.filter(({ name }) => wrong.includes(name)),
          )
        }
        await countForPlanner(target, tables)
        await inTransactionOf(target, 'begin', async () => {
          await setSequences(target, result.sequences)
          await restoreConstraints(target, tables)
        })
        await validateForeignKeys(target)
        await removeMark(target)
        return { tables: tables.length, ...copied }
      })
    }),
  )
}
