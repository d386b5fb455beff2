/**
 * What mails cost: processor time of Facteur and PostgreSQL together, write-ahead log and disk for
 * each mail, once as calls of `POST /emails` (1, 16 and 64 at once that are accepted alone; 16 with
 * a worker that captures beside them; 64 that the relay has taken before the answer) and once as a
 * campaign. The relay is Postfix's `smtp-sink`, unsigned: `npm run bench -- mx` has the price of
 * signatures. What workers do afterwards counts too. The ratio is a campaign's mail by a relayed
 * call.
 *
 * `--against COMMIT` installs that commit from its own lockfile and measures both in turns, at
 * least five times: the ratios are this version by that one, with their spread.
 */
import { parseArgs } from 'node:util'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { median } from './accept/median.ts'
import { installTree, thisTree, type Tree } from './cost/tree.ts'
import { startTrial, ways, type Cost, type Trial, type Way } from './cost/trial.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    against: { type: 'string' },
    mails: { type: 'string', default: '10000' },
    rounds: { type: 'string' },
  },
})
const rounds = Number(values.rounds ?? (values.against === undefined ? 1 : 5))
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

if (whyNoSink !== null) {
  console.error(`cost: ${whyNoSink}; nothing was measured`)
  process.exit(2)
}
const trees: Tree[] = [
  thisTree,
  ...(values.against === undefined ? [] : [installTree(values.against)]),
]
const sink = await startSink()
const trials: Trial[] = []
for (const tree of trees) {
  say(`Warming up ${tree.name}`)
  trials.push(await startTrial(tree, { sink, mails: Number(values.mails) }))
}
/**
 * By way, then by tree; the first round of a campaign is not counted, since statements are compiled
 * in it.
 */
const costs = new Map<Way, Cost[][]>(ways.map((way) => [way, trees.map(() => [])]))
for (const trial of trials) await trial.measure('campaign')
for (let round = 0; round < rounds; round++) {
  for (const way of ways)
    for (const [at, trial] of trials.entries()) costs.get(way)?.[at]?.push(await trial.measure(way))
  say(`Round ${round + 1} of ${rounds} is done`)
}
for (const trial of trials) await trial.stop()
sink.stop()

const figures = Object.fromEntries(ways.map((way) => [way, figureOf(costs.get(way) ?? [])]))
for (const [way, { of, against }] of Object.entries(figures)) {
  say(
    `${way}${against ? `: ${against.median} of ${values.against}, from ${against.least} to ${against.most}` : ''}`,
  )
  for (const [name, cost] of Object.entries(of)) say(`  ${name.padEnd(8)} ${describe(cost)}`)
}
const ratio = rounded(usedBy('campaign') / usedBy('relayed'))
say(`ratio ${ratio}`)
if (values.json) console.log(JSON.stringify({ bench: 'cost', ratio, figures }))

interface Figure {
  of: Record<string, Cost>
  /** Processor time by that of the other tree, run by run. */
  against?: { median: number; least: number; most: number }
}

function figureOf(ofTrees: Cost[][]): Figure {
  const of = Object.fromEntries(trees.map(({ name }, at) => [name, medianOf(ofTrees[at] ?? [])]))
  const [ours = [], theirs] = ofTrees
  if (theirs === undefined) return { of }
  const ratios = ours.map((cost, round) => timeOf(cost) / timeOf(theirs[round] ?? cost))
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)]
  return {
    of,
    against: { median: rounded(median(ratios)), least: rounded(least), most: rounded(most) },
  }
}

function medianOf(all: Cost[]): Cost {
  const of = (key: keyof Cost): number => median(all.map((cost) => cost[key]))
  const [facteurUs, postgresUs, perSecond, p50Ms, p99Ms] = [
    of('facteurUs'),
    of('postgresUs'),
    of('perSecond'),
    of('p50Ms'),
    of('p99Ms'),
  ]
  return {
    facteurUs,
    postgresUs,
    perSecond,
    p50Ms,
    p99Ms,
    logBytes: of('logBytes'),
    diskBytes: of('diskBytes'),
  }
}

function timeOf({ facteurUs, postgresUs }: Cost): number {
  return facteurUs + postgresUs
}

function usedBy(way: Way): number {
  return timeOf(medianOf(costs.get(way)?.[0] ?? []))
}

function rounded(quotient: number): number {
  return Math.round(quotient * 100) / 100
}

function describe({
  facteurUs,
  postgresUs,
  logBytes,
  diskBytes,
  perSecond,
  p50Ms,
  p99Ms,
}: Cost): string {
  const latency = p50Ms === 0 ? '' : `, p50 ${p50Ms} ms, p99 ${p99Ms} ms`
  const time = `${facteurUs + postgresUs} µs (${facteurUs} + ${postgresUs} of PostgreSQL)`
  return `${time}, ${perSecond}/s${latency}, ${logBytes} B of log, ${diskBytes} B of disk`
}
