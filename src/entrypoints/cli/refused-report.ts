/**
 * The report of an import's refused lines and their reasons: a file opened before the import starts, so that a bad
 * path fails early.
 */
import { open } from 'node:fs/promises'
import { csvLine } from '../../csv/write-csv.ts'
import { explainReason } from '../../core/import-files/import-reasons.ts'
import type { RefusedEntry } from '../../core/suppression/import-suppressions.ts'
import { CommandRefusal } from './refusal.ts'

/** Without a path, the report is discarded. */
export async function withRefusedReport<T>(
  path: string | null,
  work: (tell: (lines: RefusedEntry[]) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (path === null) return work(() => Promise.resolve())
  const file = await open(path, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandRefusal('refused', `${path} cannot be written (${error.code}).`)
  })
  try {
    await file.write(csvLine(['line', 'reason', 'email', 'explanation']))
    return await work(async (lines) => {
      await file.write(
        lines.map(({ line, reason, email }) => csvLine([String(line), reason, email, explainReason(reason).en])).join(''),
      )
    })
  } finally {
    await file.close()
  }
}
