/** Checks the deployment's own provider, as the settings choose it, and the path of its feedback. */
import type { Config } from '../../../config.ts'
import { connect } from '../../../db/connection/connect.ts'
import type { SesSettings } from '../../../providers/amazon-ses/ses-settings.ts'
import type { ProviderChoice } from '../../../providers/open-provider.ts'
import type { Surroundings } from '../command.ts'
import { messageOf, failed } from './check.ts'
import type { Check } from './check.ts'
import { checkFeedback } from './check-feedback.ts'
import { checkProvider } from './check-provider.ts'

export async function checkOwnProvider(surroundings: Surroundings, config: Config): Promise<Check> {
  const choice = readChoice(surroundings, config)
  if ('status' in choice) return choice
  const outbound = surroundings.openOutbound(config)
  try {
    return await checkProvider(choice, {
      ...{ clock: surroundings.clock, signal: surroundings.signal, outbound, baseUrl: config.baseUrl },
      ...{ ratePerSecond: config.ratePerSecond, rateSetting: 'FACTEUR_RATE_PER_SECOND=', setting: 'FACTEUR_SMTP_URL' },
    })
  } finally {
    await outbound.close()
  }
}

const variables = { topicArns: 'FACTEUR_SES_TOPIC_ARN', queueUrl: 'FACTEUR_SES_QUEUE_URL' } as const

/** Nothing where the provider has no notices of its own, or the database cannot be asked what was heard. */
export async function checkOwnFeedback(surroundings: Surroundings, config: Config, database: Check[]): Promise<Check[]> {
  const choice = readChoice(surroundings, config)
  if ('status' in choice || choice.type !== 'amazon-ses') return []
  if (database.some(({ name, status }) => name === 'database' && status !== 'ok')) return []
  try {
    return [await askNews(surroundings, config, choice.settings)]
  } catch (error) {
    return [failed('notices', messageOf(error), 'Mend the database first.')]
  }
}

function askNews(surroundings: Surroundings, config: Config, settings: SesSettings): Promise<Check> {
  const { clock, signal, progress } = surroundings
  return surroundings.withDatabase(config, progress, async (connectionString) => {
    const db = connect({ connectionString, poolSize: 1, applicationName: 'facteur doctor' })
    const outbound = surroundings.openOutbound(config)
    try {
      return await checkFeedback(settings, {
        db,
        outbound,
        clock,
        signal,
        baseUrl: config.baseUrl,
        settingOf: (setting) => variables[setting],
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
