/** The interface of a process's listening part: what it needs, and how it stops. */
import type { Service } from '../core/context.ts'
import type { DiskWatch } from '../core/disk-watch.ts'
import type { Metrics } from '../entrypoints/health/metrics.ts'

export interface EntryPoint {
  /** `http://host:port`, with the port that was bound. */
  address: string
  /** Accepts no new calls, and waits for those under way. */
  close(): Promise<void>
}

export interface EntryPointParts {
  service: Service
  metrics: Metrics
  disk: DiskWatch
}
