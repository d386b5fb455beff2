/**
 * Compares two ways by runs that alternate, so that what else the machine does meets both; the
 * figures are medians.
 */
import type { Run } from './measured-api.ts'
import { median } from './median.ts'

const connectionCounts = [1, 16, 64]
const rounds = 5
const runMs = 2500
// V8 compiles what runs often bit by bit: after 6 s a service still took a quarter more processor
// time than after a minute.
const warmUpMs = 15_000

export interface Comparison {
  /** Throughput of the way divided by that of the yardstick, by number of connections. */
  ratio: Record<string, number>
  figures: Record<string, unknown>
}

export async function alternate<Way extends string>({
  way,
  yardstick,
  measure,
  say,
}: {
  way: Way
  yardstick: Way
  measure: (way: Way, connections: number, ms: number) => Promise<Run>
  say: (line: string) => void
}): Promise<Comparison> {
  say(`Warming both up for ${(warmUpMs * 2) / 1000} s each`)
  for (const connections of [16, 64])
    for (const item of [yardstick, way]) await measure(item, connections, warmUpMs)
  const compared: Comparison = { ratio: {}, figures: {} }
  for (const connections of connectionCounts) {
    const [ours, theirs]: [Run[], Run[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      theirs.push(await measure(yardstick, connections, runMs))
      ours.push(await measure(way, connections, runMs))
    }
    const ratios = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? NaN))
    compared.ratio[connections] = Math.round(median(ratios) * 100) / 100
    compared.figures[connections] = {
      [way]: figuresOf(medianRun(ours)),
      [yardstick]: figuresOf(medianRun(theirs)),
    }
    say(`${connections} connections: ratio ${compared.ratio[connections]}`)
    for (const [name, run] of Object.entries({
      [way]: medianRun(ours),
      [yardstick]: medianRun(theirs),
    }))
      say(`  ${name.padEnd(9)} ${describeRun(run)}`)
  }
  return compared
}

export const describeRun = ({ perSecond, p50Ms, p99Ms, cpuUs, postgresCpuUs }: Run): string =>
  `${perSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms, CPU ${cpuUs} + PostgreSQL ${postgresCpuUs} µs a request`

/** As `--json` names them. */
export const figuresOf = (run: Run) => ({
  per_second: run.perSecond,
  p50_ms: run.p50Ms,
  p99_ms: run.p99Ms,
  cpu_us: run.cpuUs,
  postgres_cpu_us: run.postgresCpuUs,
})

const medianRun = (runs: Run[]): Run => {
  const middle = median(runs.map(({ perSecond }) => perSecond))
  const run = runs.find(({ perSecond }) => perSecond === middle)
  if (!run) throw new Error('Nothing was measured')
  return run
}
