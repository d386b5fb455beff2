/**
 * Reads gauges from the database at each scrape: a read that fails leaves out its own gauges, and
 * no others.
 */
import type { Gauge } from 'prom-client'
import { waitAtMost } from '../../ground/clock.ts'
import type { Databases } from '../../core/databases.ts'
import type { Database } from '../../database/client/database.ts'
import type { Context } from '../../core/context.ts'
import type { MakeGauge } from './work-counters.ts'

/** Half of the ten seconds after which Prometheus gives a scrape up. */
const readMsMax = 5_000

/** Gauges that derive from one answer of the database. */
export interface GaugeRead {
  name: string
  gauges: readonly Gauge[]
  /** Asks the database. */
  ask(): Promise<GaugeAnswer>
}

interface GaugeAnswer {
  /** Sets the gauges. */
  show(): void
  /** What a cell failed with, whose part the gauges lack. Null if they are whole. */
  error: unknown
}

/** `show` finds the gauges without a sample. */
export const gaugeRead = <T>(
  name: string,
  gauges: readonly Gauge[],
  ask: () => Promise<T>,
  show: (result: T) => void,
): GaugeRead => ({
  ...{ name, gauges },
  async ask() {
    const result = await ask()
    return { show: () => show(result), error: null }
  },
})

/** The cells of a process, or the context of one alone. */
export type GaugeSource = Pick<Context, 'countingDb' | 'clock'> & {
  databases: Databases<Pick<Context, 'countingDb'>>
}

/** Less than `readMsMax`, so that the other cells are shown beside one that hangs. */
const cellMsMax = 4_000

/**
 * The same over all open cells: `show` puts together what those answered that did within their
 * time.
 */
export function cellsRead<T>(
  name: string,
  gauges: readonly Gauge[],
  { source, ask }: { source: GaugeSource; ask: (db: Database) => Promise<T> },
  show: (matches: T[]) => void,
): GaugeRead {
  /** A cell that hangs is not asked again before it answered. */
  const underWay = new WeakMap<object, Promise<T>>()
  const askOnce = (cell: Pick<Context, 'countingDb'>): Promise<T> => {
    const { countingDb } = cell
    const read =
      underWay.get(countingDb) ?? ask(countingDb).finally(() => underWay.delete(countingDb))
    underWay.set(countingDb, read)
    return read
  }
  return {
    ...{ name, gauges },
    async ask() {
      const answers = source.databases.open().map(async (cell) => {
        const answer = await waitAtMost(
          source.clock,
          cellMsMax,
          askOnce(cell).then((result) => ({ found: result })),
        )
        if (answer === null) throw new Error(`No answer of a cell within ${cellMsMax} ms`)
        return answer.found
      })
      const ends = await Promise.allSettled(answers)
      const match = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
      const failure = ends.find((end) => end.status === 'rejected')
      if (match.length === 0 && failure) throw failure.reason
      return { show: () => show(match), error: failure?.reason ?? null }
    },
  }
}

/** The answered function never rejects, and takes `readMsMax` at most. */
export function createDatabaseReads(
  { clock, log }: Pick<Context, 'clock' | 'log'>,
  gauge: MakeGauge,
  reads: readonly GaugeRead[],
): () => Promise<void> {
  const failed = gauge(
    'facteur_metrics_read_failed',
    '1 while metrics are absent because this read of the database failed or took too long',
    'read',
  )
  /** A database that hangs is not asked again before it answered. */
  const underWay = new Map<GaugeRead, Promise<GaugeAnswer>>()

  const askOnce = (each: GaugeRead): Promise<GaugeAnswer> => {
    const running = underWay.get(each) ?? each.ask().finally(() => underWay.delete(each))
    underWay.set(each, running)
    return running
  }
  /** Answers the error. Null means it succeeded. */
  const read = async (each: GaugeRead): Promise<unknown> => {
    const { show, error } = await waitAtMost(clock, readMsMax, askOnce(each)).then(
      (result) => result ?? { show: null, error: new Error(`No answer within ${readMsMax} ms`) },
      (rejected: unknown) => ({ show: null, error: rejected }),
    )
    // Without a sample: a 0 would say that all is well.
    for (const item of each.gauges) empty(item)
    show?.()
    failed.set({ read: each.name }, error === null ? 0 : 1)
    return error
  }
  return async () => {
    const errors = await Promise.all(reads.map(read))
    const missing = reads.filter((_, position) => errors[position] !== null).map(({ name }) => name)
    if (missing.length > 0)
      log.warn(
        { err: errors.find((error) => error !== null), reads: missing },
        'Metrics were not read',
      )
  }
}

/** `reset` alone leaves a gauge without labels at 0. */
function empty(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}
