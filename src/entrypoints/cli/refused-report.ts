/**
 * The report of an import's refused lines, as they stand in its file, and their reasons: a file
 * opened before the import starts, so that a bad path fails early.
 */
import { open } from 'node:fs/promises'
import { refusedHeader, writeRefused } from '../../core/files/refused-lines.ts'
import type { FileLayout, StoredRefusal } from '../../db/files/import-refusals.ts'
import { CommandRefusal } from './refusal.ts'

/** Without a path, the report is discarded. */
export async function withRefusedReport<T>(
  path: string | null,
  work: (write: (lines: StoredRefusal[], layout: FileLayout) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (path === null) return work(() => Promise.resolve())
  const file = await open(path, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandRefusal('refused', `${path} cannot be written (${error.code}).`)
  })
  try {
    let hasHeader = false
    return await work(async (lines, layout) => {
      const header = hasHeader ? '' : refusedHeader(layout, 'en')
      hasHeader = true
      await file.write(header + lines.map((line) => writeRefused(layout, line, 'en')).join(''))
    })
  } finally {
    await file.close()
  }
}
