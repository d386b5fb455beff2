/** A scenario of the crash sweep: how it is played by seed, and how it becomes tests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDraw } from '../support/fault-draw.ts'
import type { Run } from '../support/fault-world.ts'

export interface Scenario {
  /** The name of its file. */
  name: string
  /** The promise that it shows; the title of its tests. */
  promise: string
  /** Plays once; answers the violations in words. An empty list: the promise held. */
  play(run: Run): Promise<string[]>
  /**
   * Failpoints that break the promise on purpose: with each of them, `play` must answer something.
   */
  broken: string[]
}

export interface Playing {
  seed: number
  whole: boolean
  broken?: string
}

/** Plays a scenario and takes everything down again. */
export async function playScenario(
  scenario: Scenario,
  { seed, whole, broken }: Playing,
): Promise<string[]> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    return await scenario.play({
      seed,
      whole,
      broken: broken ?? null,
      draw: createDraw(seed),
      after: (end) => void ends.push(end),
    })
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

/**
 * Plays what is no scenario of the sweep, with a world of its own, and takes it down, whatever
 * happens.
 */
export async function playOnce(play: (run: Run) => Promise<void>): Promise<void> {
  const scenario: Scenario = {
    name: '',
    promise: '',
    broken: [],
    play: async (run) => (await play(run), []),
  }
  await playScenario(scenario, { seed: 1, whole: false })
}

export const replayLine = ({ name }: Scenario, { seed, whole, broken }: Playing): string =>
  `npm run sweep -- ${name} --seed ${seed}${whole ? '' : ' --small'}${broken === undefined ? '' : ` --broken ${broken}`}`

/** `npm run sweep` plays each scenario whole, with any seed. */
const seed = 1

/** The tests of a scenario: one seed in its small size, and each broken variant noticed. */
export function testScenario(scenario: Scenario): void {
  testPromise(scenario)
  testBroken(scenario)
}

/** With one seed in its small size. */
export function testPromise(scenario: Scenario): void {
  test(`${scenario.promise} (seed ${seed})`, async () => {
    const playing = { seed, whole: false }
    const wrong = await playScenario(scenario, playing)
    assert.deepEqual(
      wrong,
      [],
      `${wrong.length} broken; first: ${wrong[0] ?? ''}; replay: ${replayLine(scenario, playing)}`,
    )
  })
}

/**
 * Set where only promises are played: broken variants show that a check notices, whatever the
 * database.
 */
export const PROMISES_ONLY = 'FACTEUR_TEST_PROMISES_ONLY'

/** Each broken variant is noticed. */
export function testBroken(scenario: Scenario): void {
  if (process.env[PROMISES_ONLY]) return
  for (const broken of scenario.broken) {
    test(`with ${broken} broken, "${scenario.name}" notices`, async () => {
      assert.ok(
        await isNoticed(scenario, broken),
        `Nothing was noticed with the seeds 1 to ${brokenSeeds}`,
      )
    })
  }
}

/**
 * The first seed shows it, as each scenario arranges that; the others are there to search on, and
 * are reported.
 */
const brokenSeeds = 12

/**
 * How a run ends its word that what it is about did not happen, on a slow machine for instance: no
 * promise was broken by that.
 */
export const nothingShown = ': the run shows nothing'

/** Some seed must show a broken variant. */
export async function isNoticed(scenario: Scenario, broken: string): Promise<boolean> {
  for (let tried = 1; tried <= brokenSeeds; tried++) {
    const wrong = await playScenario(scenario, { seed: tried, whole: false, broken })
    const shown = wrong.filter((what) => !what.endsWith(nothingShown))
    if (shown.length > 0 && tried > 1)
      console.log(`${broken}: noticed with the seed ${tried} only, by ${shown[0]}`)
    if (shown.length > 0) return true
  }
  return false
}
