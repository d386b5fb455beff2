/**
 * Opens a service for each cell, at the start and whenever a cell is added, and follows workspaces
 * that move from cell to cell. The services share what bounds the process: its provider connections
 * and rates, its memory, its password hashing.
 */
import { waitAtMost } from '../ground/clock.ts'
import { OpenCells } from './cells.ts'
import { releaseOverdue } from '../database/transport/move/release-overdue.ts'
import { createProcessParts, createService, type OpenService } from './create-service.ts'
import type { OpenContext } from './open-context.ts'

export interface CellServicesOptions {
  /** Receives each service that was opened after the first one. */
  onOpen?: (service: OpenService) => void
}

/**
 * A start waits so long for cells besides the first. One that does not answer is opened when it
 * does.
 */
const openWithinMs = 10_000

export async function openCells(
  ctx: OpenContext,
  { onOpen }: CellServicesOptions = {},
): Promise<{ cells: OpenCells<OpenService>; close(): Promise<void> }> {
  const parts = createProcessParts(ctx)
  const cells: OpenCells<OpenService> = new OpenCells({
    ...{ db: ctx.db, clock: ctx.clock, log: ctx.log },
    home: (own) => createService(ctx, { parts, databases: own }),
    async openCell(cell) {
      const service = createService(await ctx.openCell(cell), { parts, databases: cells })
      onOpen?.(service)
      return service
    },
    release: ({ db, databaseId }, move) => releaseOverdue(ctx, { db, cell: databaseId }, move),
  })
  ctx.databases = cells
  const stopping = new AbortController()
  await cells.poll()
  await waitAtMost(ctx.clock, openWithinMs, cells.settled())
  const polling = cells.keepPolling(stopping.signal)
  ctx.onCells = () => void cells.poll().catch(() => undefined)
  ctx.onWakeUp = (hint) => parts.captureWaits.onWakeUp(hint)
  return {
    cells,
    close() {
      stopping.abort()
      ctx.onCells = () => undefined
      return polling
    },
  }
}
