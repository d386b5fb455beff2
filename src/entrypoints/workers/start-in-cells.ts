/** Starts the workers of every cell of this process, which share its bounds. */
import type { Databases } from '../../core/databases.ts'
import type { Service } from '../../core/context.ts'
import type { WakeUp } from '../../db/sending/due.ts'
import { createWorkerBounds, startWorkers, type Workers } from './start-workers.ts'

export interface CellWorkers {
  /** Wakes a lane of a cell now. */
  wake(hint: WakeUp, cell: number): void
  /** Starts those of a cell that was opened since. */
  add(service: Service): void
  /** As `Workers.stop()`, for all cells. */
  stop(withinMs: number): Promise<void>
}

export function startWorkersInCells(cells: Databases<Service>): CellWorkers {
  const bounds = createWorkerBounds(cells)
  const started = new Map<number, Workers>()
  let isStopping = false
  const add = (service: Service): void => {
    if (!isStopping && !started.has(service.databaseId))
      started.set(service.databaseId, startWorkers(service, bounds))
  }
  for (const service of cells.open()) add(service)
  return {
    add,
    wake: (hint, cell) => started.get(cell)?.wake(hint),
    async stop(withinMs) {
      isStopping = true
      await Promise.all([...started.values()].map((workers) => workers.stop(withinMs)))
    },
  }
}
