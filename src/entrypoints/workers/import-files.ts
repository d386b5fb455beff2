/** Imports of files that browsers brought: a turn takes one and goes on beside the others, because it may last minutes. */
import type { Service } from '../../core/context.ts'
import { leaseSeconds, runImport } from '../../core/imports/run-import.ts'
import { raiseImportDue } from '../../db/due.ts'
import { claimFile } from '../../db/subscriber-files.ts'
import type { Turn } from './deliver-due.ts'

/** Files that one process works on at once. */
const atOnce = 2

export interface ImportFiles {
  turn(workspaceId: number, wake: () => void): Promise<Turn>
  /** Ends after the batches under way; resolves when they are stored. */
  end(): Promise<void>
}

export function createImportFiles(service: Service): ImportFiles {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  return {
    async turn(workspaceId, wake) {
      if (running.size >= atOnce) return 'full'
      const file = await claimFile(service.db, workspaceId, leaseSeconds)
      if (!file) {
        await raiseImportDue(service.db, workspaceId)
        return 'later'
      }
      const work = runImport(service, workspaceId, file, stopping.signal)
        .catch((error: unknown) =>
          service.log.error({ err: error, workspaceId }, 'An import was interrupted; it is taken up again'),
        )
        .finally(() => {
          running.delete(work)
          wake()
        })
      running.add(work)
      return 'more'
    },
    async end() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
