/**
 * Checks that mail can leave by the deployment's own provider, as the settings choose it, and the
 * path of its feedback.
 */
import type { Config } from '../../../ground/config.ts'
import type { CheckParts } from '../../../providers/provider-check.ts'
import type { ProviderChoice } from '../../../providers/provider-kind.ts'
import { providerKinds } from '../../../providers/registry.ts'
import { messageOf, failed, withCheckedDatabase, type Check, type DoctorParts } from './check.ts'

export async function checkOwnProvider(parts: DoctorParts): Promise<Check> {
  const { ratePerSecond } = parts.config
  const choice = readChoice(parts)
  if ('status' in choice) return choice
  return checkProvider(choice, {
    ...partsOf(parts),
    ratePerSecond,
    rateSetting: 'FACTEUR_RATE_PER_SECOND=',
  })
}

/** The same for any provider. */
export async function checkProvider(choice: ProviderChoice, parts: CheckParts): Promise<Check> {
  try {
    return await choice.check(parts)
  } catch (error) {
    return failed('provider', messageOf(error), `Mend ${parts.nameOf('url')}.`)
  }
}

/**
 * Empty if the provider sends no notices of its own, or the database does not answer which ones
 * arrived.
 */
export async function checkOwnFeedback(parts: DoctorParts, database: Check[]): Promise<Check[]> {
  const choice = readChoice(parts)
  if ('status' in choice || choice.feedback === null) return []
  const { feedback } = choice
  if (database.some(({ name, status }) => name === 'database' && status !== 'ok')) return []
  try {
    return [await withCheckedDatabase(parts, (db) => feedback.check({ ...partsOf(parts), db }))]
  } catch (error) {
    return [failed('notices', messageOf(error), 'Mend the database first.')]
  }
}

function readChoice({ surroundings, config }: DoctorParts): ProviderChoice | Check {
  try {
    return surroundings.readProviderSettings(config)
  } catch (error) {
    return failed(
      'provider',
      messageOf(error),
      `Mend ${/^FACTEUR_\w+/.exec(messageOf(error))?.[0] ?? 'the settings'}.`,
    )
  }
}

const partsOf = ({ surroundings: { clock, signal }, config, outbound }: DoctorParts) => ({
  ...{ clock, signal, outbound, baseUrl: config.baseUrl, nameOf: variableOf(config) },
})

/** The variable of a setting of the chosen provider. */
const variableOf =
  ({ provider }: Config) =>
  (setting: string): string =>
    providerKinds[provider].settings.find(({ name }) => name === setting)?.variable ??
    'the settings'
