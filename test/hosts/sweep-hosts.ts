/**
 * Sweeps over hosts in namespaces: the scenarios by name, and random schedules of faults in several
 * worlds at once.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { HOSTS_CLUSTER } from './host-postgres.ts'
import { spawnInHosts, whyNoHosts } from './namespaces.ts'
import { noFigures, type Figures, type PlayedSchedule } from './schedule.ts'

/**
 * With the options of the sweep; whether every promise was kept. Where no namespaces can be made it
 * says so, which breaks nothing.
 */
export async function sweepInHosts(names: string[], options: string[]): Promise<boolean> {
  const why = whyNoHosts()
  if (why !== null) return (console.log(`${names.join(', ')}: ${why}`), true)
  const flags = options.filter((option) => !names.includes(option))
  return withHome(async (home) => {
    const [code] = await once(
      spawnInHosts('inside/sweep-scenarios.ts', [...flags, ...names], { home, stdio: 'inherit' }),
      'exit',
    )
    return code === 0
  })
}

export interface ScheduleSweep {
  schedules: number
  /** Of the first schedule; the others have those that follow. Absent means drawn. */
  seed?: number
  /** How many play at once, each on hosts of its own. */
  worlds: number
  broken?: string
}

/** Whether no schedule broke a promise. */
export async function sweepSchedules({
  schedules,
  seed = drawSeed(),
  worlds,
  broken,
}: ScheduleSweep): Promise<boolean> {
  const why = whyNoHosts()
  if (why !== null) return (console.log(why), false)
  return withHome(async (home) => {
    process.env[HOSTS_CLUSTER] = join(home, 'cluster')
    const [created] = await once(
      spawnInHosts('inside/make-cluster.ts', [process.env[HOSTS_CLUSTER]], {
        home,
        stdio: 'inherit',
      }),
      'exit',
    )
    if (created !== 0) throw new Error('The database of the hosts could not be made')
    const progress = startProgress(schedules, broken === undefined ? '' : ` --broken ${broken}`)
    const parts = partsOf({ schedules, seed })
    const playParts = async (): Promise<void> => {
      for (let part = parts.shift(); part !== undefined; part = parts.shift())
        await playPart(home, part, broken, progress.report)
    }
    await Promise.all(Array.from({ length: worlds }, playParts))
    return progress.end()
  })
}

/**
 * Schedules that one world plays, one after the other: its processes live through all their faults.
 */
const schedulesOfWorld = 20

interface Part {
  seed: number
  schedules: number
}

const drawSeed = (): number => Math.floor(Math.random() * 1_000_000) * 1_000

const partsOf = ({ schedules, seed }: Part): Part[] =>
  Array.from({ length: Math.ceil(schedules / schedulesOfWorld) }, (_, index) => ({
    seed: seed + index * schedulesOfWorld,
    schedules: Math.min(schedulesOfWorld, schedules - index * schedulesOfWorld),
  }))

/** `first`: the seed with which its world began. */
type Report = (played: PlayedSchedule, first: number) => void

/** A world ends with a schedule that broke a promise; the next one plays the rest. */
async function playPart(
  home: string,
  part: Part,
  broken: string | undefined,
  report: Report,
): Promise<void> {
  for (let played = 0; played < part.schedules;) {
    const rest = { seed: part.seed + played, schedules: part.schedules - played }
    const now = await playWorld(home, rest, broken, report)
    // It ended before its time or said nothing for long: that breaks the schedule at which it was.
    if (now === 0)
      report(
        {
          seed: rest.seed,
          schedule: 'not played to its end',
          wrong: ['its world ended'],
          figures: noFigures,
        },
        rest.seed,
      )
    played += Math.max(1, now)
  }
}

/** Answers how many it has played. */
async function playWorld(
  home: string,
  { seed, schedules }: Part,
  broken: string | undefined,
  report: Report,
): Promise<number> {
  const args = [
    '--seed',
    String(seed),
    '--schedules',
    String(schedules),
    ...(broken === undefined ? [] : ['--broken', broken]),
  ]
  const world = spawnInHosts('inside/play-schedules.ts', args, {
    home,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const silence = setTimeout(() => void world.kill('SIGKILL'), silenceMs)
  if (world.stdout === null) throw new Error('Its output is piped')
  let played = 0
  for await (const line of createInterface({ input: world.stdout })) {
    silence.refresh()
    played++
    report(JSON.parse(line) as PlayedSchedule, seed)
  }
  clearTimeout(silence)
  return played
}

const silenceMs = 300_000

/** `variant`: the option that a replay needs, too. */
function startProgress(schedules: number, variant: string): { report: Report; end(): boolean } {
  const beganMs = performance.now()
  let [done, broken] = [0, 0]
  const sums = { ...noFigures }
  return {
    report({ seed, schedule, wrong, figures }, first) {
      done++
      for (const name of namesOf(sums)) sums[name] += figures[name]
      if (wrong.length > 0) {
        broken++
        console.log(`BROKEN seed ${seed}: ${schedule}\n  ${wrong.slice(0, 20).join('\n  ')}`)
        console.log(`  ${replayLines(seed, first, variant).join('\n  ')}`)
      }
      if (done % 10 === 0 || done === schedules) console.log(progressLine())
    },
    end() {
      const { accepted, sent, doubts, refusals } = sums
      console.log(
        `${accepted} calls accepted, ${refusals} not answered or by 503, ${sent} mails sent, ${doubts} recipients in doubt`,
      )
      return broken === 0 && done === schedules
    },
  }

  function progressLine(): string {
    const minutes = (performance.now() - beganMs) / 60_000
    const perMinute = done / minutes
    const left = Math.ceil((schedules - done) / perMinute)
    return `${done} of ${schedules} schedules, ${broken} broken, ${perMinute.toFixed(1)} a minute, ${left} minutes left`
  }
}

/**
 * A world may carry over what an earlier schedule did to it: the whole part is played again, too.
 */
export function replayLines(seed: number, first: number, variant = ''): string[] {
  const line = (from: number): string =>
    `npm run sweep -- --schedules ${seed - from + 1} --seed ${from}${variant}`
  return [
    `replay: ${line(seed)}`,
    ...(seed === first ? [] : [`with those before it in its world: ${line(first)}`]),
  ]
}

const namesOf = (figures: Figures): (keyof Figures)[] => Object.keys(figures) as (keyof Figures)[]

async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'facteur-test-hosts-'))
  try {
    return await work(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
