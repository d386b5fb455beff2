/**
 * Finds out which mutants the tests notice, with few runs.
 *
 * 1. Each test file plays without a mutant. This shows which mutants it reaches, and whether it
 *    passes.
 * 2. Each mutant plays alone in the files that are likely to notice it, for a short time.
 * 3. Those that remain play together in each file that reaches one of them. Halves show which one
 *    makes a file fail.
 *
 * A file notices a mutant if it fails twice with that one alone.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lane, Played } from './lane.ts'
import type { Mutant } from './mutants.ts'

export type Tier = 'quick' | 'rest'

interface Hunt {
  /** Receives `runs.jsonl`, `results.tsv` and `survivors.json`. */
  folder: string
  lanes: Lane[]
  files: string[]
  mutants: Mutant[]
  tierOf(file: string): Tier
  /** Called after each run that was cut off. */
  cleanUp(): Promise<void>
}

/** Seconds that a mutant plays alone before it joins the others. */
const aloneSeconds = 40
const hangSeconds = 60

export async function playMutants({
  folder,
  lanes,
  files,
  mutants,
  tierOf,
  cleanUp,
}: Hunt): Promise<void> {
  const log = join(folder, 'runs.jsonl')
  const runs = existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Played)
    : []
  const noticed = new Map<number, Played>()
  const runsOf = (file: string, active: number[]): Played[] =>
    runs.filter((run) => run.file === file && run.active.join(' ') === active.join(' '))
  const usualOf = (file: string): Played | undefined =>
    runsOf(file, []).find(({ passed }) => passed)
  const hasSurvived = (file: string, number: number): boolean =>
    runs.some(
      (run) =>
        run.file === file &&
        run.passed &&
        (run.active.join(' ') === `${number}` || wasReached(run, number)),
    )

  const play = async (lane: Lane, file: string, active: number[]): Promise<Played> => {
    const run = await lane.play(
      file,
      active,
      Math.max(hangSeconds, 5 * (usualOf(file)?.seconds ?? 100)),
    )
    runs.push(run)
    appendFileSync(log, `${JSON.stringify(run)}\n`)
    if (!run.passed) await cleanUp()
    return run
  }
  const playAlone = async (lane: Lane, file: string, number: number): Promise<void> => {
    while (!hasSurvived(file, number)) {
      const [by, again] = runsOf(file, [number])
      if (by && again) {
        noticed.set(number, by)
        writeResults()
        return
      }
      await play(lane, file, [number])
    }
  }
  const playTogether = async (lane: Lane, file: string, numbers: number[]): Promise<void> => {
    const left = numbers.filter((number) => !noticed.has(number) && !hasSurvived(file, number))
    const [number] = left
    if (number === undefined) return
    if (left.length === 1) return playAlone(lane, file, number)
    const run = await play(lane, file, left)
    const half = Math.ceil(left.length / 2)
    // A file that passes says nothing of those that another one kept it from reaching.
    const groups = run.passed ? left.map((each) => [each]) : [left.slice(0, half), left.slice(half)]
    for (const group of groups) await playTogether(lane, file, group)
  }
  /**
   * Cheap ones first, and those whose names resemble the mutant's file, and those that reach few
   * other mutants.
   */
  const likeliestFor = ({ file: source, number }: Mutant): Played[] => {
    const cost = ({ file, seconds, reached }: Played): number =>
      (seconds * (1 + reached.length / 10)) /
      (1 + 3 * wordsOf(file).intersection(wordsOf(source)).size)
    return files
      .flatMap((file) => (tierOf(file) === 'quick' ? (usualOf(file) ?? []) : []))
      .filter(({ reached }) => reached.includes(number))
      .toSorted((a, b) => cost(a) - cost(b))
  }
  const writeResults = (others = 'undecided'): void => {
    const rows = mutants.map((mutant) => {
      const by = noticed.get(mutant.number)
      const outcome = by ? [tierOf(by.file), by.file, by.failure, by.seconds] : [others]
      return [mutant.number, mutant.file, mutant.line, mutant.operator, ...outcome].join('\t')
    })
    const head = 'number\tfile\tline\toperator\tnoticed by\ttest file\ttest\tseconds'
    writeFileSync(join(folder, 'results.tsv'), [head, ...rows, ''].join('\n'))
    const survivors = mutants.filter(({ number }) => !noticed.has(number))
    writeFileSync(join(folder, 'survivors.json'), JSON.stringify(survivors, null, 1))
  }

  await spread('without a mutant', lanes, files, async (lane, file) => {
    while (!usualOf(file) && runsOf(file, []).length < 2) await play(lane, file, [])
  })
  const failing = files.filter((file) => !usualOf(file))
  if (failing.length > 0)
    console.log(`These fail without a mutant too, and are left out:\n  ${failing.join('\n  ')}`)
  await spread('mutants alone', lanes, mutants, async (lane, mutant) => {
    let seconds = 0
    for (const usual of likeliestFor(mutant)) {
      if (seconds > aloneSeconds || noticed.has(mutant.number)) return
      await playAlone(lane, usual.file, mutant.number)
      seconds += usual.seconds
    }
  })
  for (const tier of ['quick', 'rest'] as const) {
    const ofTier = files.filter((file) => tierOf(file) === tier)
    await spread(`survivors together, ${tier}`, lanes, ofTier, (lane, file) =>
      playTogether(lane, file, usualOf(file)?.reached ?? []),
    )
  }
  writeResults('survived')
  const quick = [...noticed.values()].filter(({ file }) => tierOf(file) === 'quick').length
  console.log(
    `Of ${mutants.length} mutants, the quick tests notice ${quick} and the rest ${noticed.size - quick} more.`,
  )
}

const wasReached = ({ active, reached }: Played, number: number): boolean =>
  active.includes(number) && reached.includes(number)

const wordsOf = (path: string): Set<string> =>
  new Set(path.split(/\W+/).filter((word) => word.length > 3))

/** Each lane takes the next one when it is free. */
async function spread<T>(
  name: string,
  lanes: Lane[],
  items: T[],
  work: (lane: Lane, item: T) => Promise<void>,
): Promise<void> {
  const began = Date.now()
  const queue = items.values()
  let done = 0
  const serve = async (lane: Lane): Promise<void> => {
    for (const item of queue) {
      await work(lane, item)
      done++
      const minutes = (Date.now() - began) / 60_000
      const left = (minutes / done) * (items.length - done)
      if (done === items.length || done % Math.ceil(items.length / 20) === 0)
        console.log(
          `${name}: ${done} of ${items.length}, ${minutes.toFixed(1)} min, about ${left.toFixed(0)} min to go`,
        )
    }
  }
  await Promise.all(lanes.map(serve))
}
