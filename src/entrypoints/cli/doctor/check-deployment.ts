/** Checks the deployment's own provider, as the settings choose it, and the path of its feedback. */
import type { Config } from '../../../config.ts'
import { connect } from '../../../db/connection/connect.ts'
import type { ProviderChoice } from '../../../providers/provider-kind.ts'
import { providerKinds } from '../../../providers/registry.ts'
import type { Surroundings } from '../command.ts'
import { messageOf, failed, type Check } from './check.ts'
import { checkProvider } from './check-provider.ts'

export async function checkOwnProvider(surroundings: Surroundings, config: Config): Promise<Check> {
  const choice = readChoice(surroundings, config)
  if ('status' in choice) return choice
  const outbound = surroundings.openOutbound(config)
  try {
    return await checkProvider(choice, {
      ...{ clock: surroundings.clock, signal: surroundings.signal, outbound, baseUrl: config.baseUrl },
      ...{ ratePerSecond: config.ratePerSecond, rateSetting: 'FACTEUR_RATE_PER_SECOND=', nameOf: variableOf(config) },
    })
  } finally {
    await outbound.close()
  }
}

/** Empty if the provider sends no notices of its own, or the database does not answer which ones arrived. */
export async function checkOwnFeedback(surroundings: Surroundings, config: Config, database: Check[]): Promise<Check[]> {
  const choice = readChoice(surroundings, config)
  if ('status' in choice || choice.feedback === null) return []
  if (database.some(({ name, status }) => name === 'database' && status !== 'ok')) return []
  try {
    return [await askFeedback(surroundings, config, choice.feedback)]
  } catch (error) {
    return [failed('notices', messageOf(error), 'Mend the database first.')]
  }
}

function askFeedback(
  surroundings: Surroundings,
  config: Config,
  feedback: NonNullable<ProviderChoice['feedback']>,
): Promise<Check> {
  const { clock, signal, progress } = surroundings
  return surroundings.withDatabase(config, progress, async (connectionString) => {
    const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur doctor' })
    const outbound = surroundings.openOutbound(config)
    try {
      return await feedback.check({
        db,
        outbound,
        clock,
        signal,
        baseUrl: config.baseUrl,
        nameOf: variableOf(config),
      })
    } finally {
      await outbound.close()
      await db.end()
    }
  })
}

function readChoice(surroundings: Surroundings, config: Config): ProviderChoice | Check {
  try {
    return surroundings.readProviderSettings(config)
  } catch (error) {
    return failed('provider', messageOf(error), `Mend ${/^FACTEUR_\w+/.exec(messageOf(error))?.[0] ?? 'the settings'}.`)
  }
}

/** The variable of a setting of the chosen provider. */
const variableOf =
  ({ provider }: Config) =>
  (setting: string): string =>
    providerKinds[provider].settings.find(({ name }) => name === setting)?.variable ?? 'the settings'
