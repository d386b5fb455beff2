/** A move of an installation while it runs: what is asked for, and what its steps share. */
import type pg from 'pg'
import type { Clock } from '../../../ground/clock.ts'
import type { Connection } from '../../client/connect.ts'
import type { Failpoints } from '../../../ground/failpoints.ts'
import type { CopyProgress } from './copy-database.ts'

/** The last check is that of the old database after the switch. */
export type MoveProgress = Omit<CopyProgress, 'step'> & {
  step: CopyProgress['step'] | 'last check'
}

export interface MoveInstallation {
  /** Addresses of the two databases. */
  from: string
  to: string
  /** The target without a login, and sealed for the processes that follow. */
  targetName: string
  sealedTarget: Buffer
  /** An embedded database serves one process. */
  servesOne: boolean
  clock: Clock
  failpoints: Failpoints | null
  progress(text: string): void
  onProgress(progress: MoveProgress): void
  /** Called when everything but the last step is done; throws to leave it at that. */
  beforeSwitch(): Promise<void>
  /** Called right after the decision, with the number of processes that follow. */
  onMoved(processes: number): void
  /** Makes the target the installation, once it is decided. Processes that follow do it too. */
  activate(connectionString: string): Promise<void>
  signal: AbortSignal
}

export interface Move extends MoveInstallation {
  /** For single statements at the source. */
  db: Connection
  source: pg.Client
  target: pg.Client
  copied: { rows: number; bytes: number; share: number }
  changes: number
}
