/**
 * Imports uploaded files: a turn takes one and goes on beside the others, because it may last
 * minutes.
 */
import type { Service } from '../../core/context.ts'
import { leaseSeconds, runImport } from '../../core/audience/imports/run-import.ts'
import { raiseImportDue } from '../../db/sending/due.ts'
import { claimFile } from '../../db/audience/subscriber-files.ts'
import type { Turn } from './deliver-due.ts'

/**
 * Files that one process imports at once, each of another workspace: a workspace with many does not
 * hold up the others.
 */
const atOnce = 2

/** `served`: the workspaces whose file the process imports now. */
export function createImportFiles(service: Service, served: Set<number>) {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  return {
    async turn(workspaceId: number, wake: () => void): Promise<Turn> {
      if (served.has(workspaceId)) {
        // Usually no other file of the workspace waits, so its next turn comes when the lease ends.
        await raiseImportDue(service.db, workspaceId)
        return 'full'
      }
      if (served.size >= atOnce) return 'full'
      // Before the first wait: other workspaces' turns go on meanwhile.
      served.add(workspaceId)
      const file = await claimFile(service.db, workspaceId, leaseSeconds).catch(
        (error: unknown) => {
          served.delete(workspaceId)
          throw error
        },
      )
      if (!file) {
        served.delete(workspaceId)
        await raiseImportDue(service.db, workspaceId)
        return 'later'
      }
      const work = runImport(service, { workspaceId, file, stopping: stopping.signal })
        .catch((error: unknown) =>
          service.log.error(
            { err: error, workspaceId },
            'An import was interrupted; a worker resumes it',
          ),
        )
        .finally(() => {
          running.delete(work)
          served.delete(workspaceId)
          wake()
        })
      running.add(work)
      return 'more'
    },
    /** Ends after the batches under way; resolves when they are stored. */
    async end(): Promise<void> {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
