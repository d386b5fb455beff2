/** Reads gauges from the database at each scrape: a read that fails leaves out its own gauges, and no others. */
import type { Gauge } from 'prom-client'
import { waitAtMost } from '../../clock.ts'
import type { Context } from '../../core/context.ts'
import type { MakeGauge } from './work-counters.ts'

/** Half of the ten seconds after which Prometheus gives a scrape up. */
const readMsMax = 5_000

/** Gauges that derive from one answer of the database. */
export interface GaugeRead {
  name: string
  gauges: readonly Gauge[]
  /** Asks the database; the answered function sets the gauges. */
  ask(): Promise<() => void>
}

/** `show` finds the gauges without a sample. */
export const gaugeRead = <T>(
  name: string,
  gauges: readonly Gauge[],
  ask: () => Promise<T>,
  show: (found: T) => void,
): GaugeRead => ({
  ...{ name, gauges },
  async ask() {
    const found = await ask()
    return () => show(found)
  },
})

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
  const underWay = new Map<GaugeRead, Promise<() => void>>()

  const askOnce = (each: GaugeRead): Promise<() => void> => {
    const begun = underWay.get(each) ?? each.ask().finally(() => underWay.delete(each))
    underWay.set(each, begun)
    return begun
  }
  /** Answers the error; null: it succeeded. */
  const read = async (each: GaugeRead): Promise<unknown> => {
    const { show, error } = await waitAtMost(clock, readMsMax, askOnce(each)).then(
      (found) => ({ show: found, error: found === null ? new Error(`No answer within ${readMsMax} ms`) : null }),
      (rejected: unknown) => ({ show: null, error: rejected }),
    )
    // Without a sample: a 0 would say that all is well.
    for (const one of each.gauges) empty(one)
    show?.()
    failed.set({ read: each.name }, show ? 0 : 1)
    return error
  }
  return async () => {
    const errors = await Promise.all(reads.map(read))
    const missing = reads.filter((_, position) => errors[position] !== null).map(({ name }) => name)
    if (missing.length > 0) log.warn({ err: errors.find((error) => error !== null), reads: missing }, 'Metrics were not read')
  }
}

/** `reset` alone leaves a gauge without labels at 0. */
function empty(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}
