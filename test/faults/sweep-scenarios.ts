/**
 * Plays scenarios whole, and each broken variant in its small size; says of each whether its
 * promise was kept.
 */
import { isNoticed, playScenario, replayLine, type Playing, type Scenario } from './scenario.ts'

export interface SweepOptions {
  /**
   * Of the first round; each further one has the next. Undefined means each round draws another
   * one.
   */
  seed?: number
  rounds: number
  small: boolean
  /** Plays this broken variant alone. */
  broken?: string
}

/** Whether every promise was kept, and every broken variant noticed. */
export async function sweepScenarios(
  scenarios: Scenario[],
  options: SweepOptions,
): Promise<boolean> {
  const { broken, small, rounds } = options
  let stored = true
  for (let round = 0; round < rounds; round++) {
    const seed =
      options.seed === undefined ? Math.floor(Math.random() * 1_000_000) : options.seed + round
    for (const scenario of scenarios) {
      const playing = { seed, whole: !small, ...(broken === undefined ? {} : { broken }) }
      stored = (await playAndReport(scenario, playing)) && stored
      if (broken === undefined) stored = (await playVariants(scenario)) && stored
    }
  }
  return stored
}

async function playVariants(scenario: Scenario): Promise<boolean> {
  let all = true
  for (const broken of scenario.broken) {
    const noticed = await isNoticed(scenario, broken)
    console.log(`${noticed ? 'noticed' : 'NOT NOTICED'} ${scenario.name} with ${broken} broken`)
    all &&= noticed
  }
  return all
}

async function playAndReport(scenario: Scenario, playing: Playing): Promise<boolean> {
  const began = performance.now()
  const wrong = await playScenario(scenario, playing).catch((error: unknown) => [
    String((error as Error).stack),
  ])
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${wrong.length === 0 ? 'kept  ' : 'BROKEN'} ${scenario.name}, seed ${playing.seed}, ${seconds} s: ${scenario.promise}`,
  )
  if (wrong.length > 0)
    console.log(`  ${wrong.slice(0, 20).join('\n  ')}\n  replay: ${replayLine(scenario, playing)}`)
  return wrong.length === 0
}
