/**
 * Remembers for each workspace up to when its due rows were found, so that the next look begins
 * there and does not pass the index entries of earlier claims again
 * (docs/decisions/0052-a-held-horizon.md).
 */
import type { Clock } from '../../ground/clock.ts'
import type { ScannedTo } from '../../db/sending/due.ts'
import { ScanMark } from '../../ground/scan-mark.ts'

export interface Scan {
  /**
   * Where the next claim begins, and the next search for lost claims. Null means at the first row.
   */
  readonly claimedTo: Date | null
  readonly checkedTo: Date | null
  /** When rows were last claimed, on the monotonic clock. */
  readonly claimedAtMs: number
  /** Null if the present look begins at the first row. */
  scannedTo(): ScannedTo | null
  /** Whether the last search for lost claims is so long ago. */
  isCheckDue(everyMs: number): boolean
  claimed(passedTo: Date, claim: { rows: number; requestedAtMs: number }): void
  /** Nothing was found up to this time, by a search that began at `from` and was asked for then. */
  checked(passedTo: Date, search: { from: Date | null; requestedAtMs: number }): void
}

export function createScans(clock: Clock): { begin(workspaceId: number): Scan } {
  const scans = new Map<number, WorkspaceScan>()
  return {
    begin(workspaceId) {
      const scan = scans.get(workspaceId) ?? new WorkspaceScan(clock)
      scans.set(workspaceId, scan)
      scan.begin()
      return scan
    },
  }
}

class WorkspaceScan implements Scan {
  readonly #clock: Clock
  readonly #mark: ScanMark
  /**
   * Of its own: each kind of look passes other entries, and takes no more than its share of the
   * time.
   */
  readonly #checks: ScanMark
  claimedTo: Date | null = null
  claimedAtMs = -Infinity
  #checkedAtMs = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
    this.#mark = new ScanMark(clock)
    this.#checks = new ScanMark(clock)
  }

  /** Begins at the first row when it is time to. */
  begin(): void {
    this.claimedTo = this.#mark.from()
  }

  get checkedTo(): Date | null {
    return this.#checks.from()
  }

  scannedTo(): ScannedTo | null {
    if (this.claimedTo === null) return null
    return { claimed: this.claimedTo, fullInSeconds: this.#mark.fullInSeconds() }
  }

  isCheckDue(everyMs: number): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#checkedAtMs < everyMs && this.checkedTo !== null) return false
    this.#checkedAtMs = nowMs
    return true
  }

  claimed(passedTo: Date, { rows, requestedAtMs }: { rows: number; requestedAtMs: number }): void {
    this.#mark.passed(passedTo, { from: this.claimedTo, requestedAtMs })
    if (rows > 0) this.claimedAtMs = this.#clock.monotonicMs()
    this.claimedTo = passedTo
  }

  checked(passedTo: Date, search: { from: Date | null; requestedAtMs: number }): void {
    this.#checks.passed(passedTo, search)
  }
}
