/** Opens the providers: the one of the settings, and those of workspaces. */
import type { Config } from '../config.ts'
import { OperatorError } from '../operator-error.ts'
import { createAttemptTags } from '../providers/amazon-ses/attempt-tag.ts'
import { readSesSettings } from '../providers/amazon-ses/ses-settings.ts'
import type { SesSettings, SesTexts } from '../providers/amazon-ses/ses-settings.ts'
import { openProvider } from '../providers/open-provider.ts'
import type { ProviderChoice, ProviderPorts } from '../providers/open-provider.ts'
import type { Providers } from '../providers/providers.ts'
import { routeProviders } from '../providers/route-providers.ts'
import type { RouteOptions } from '../providers/route-providers.ts'
import { parseSmtpUrl } from '../providers/smtp-relay.ts'
import type { Secrets } from '../secrets.ts'
import { directMxOptions } from './open-direct-mx.ts'
import type { DirectMxParts } from './open-direct-mx.ts'

type Parts = Pick<RouteOptions, 'db' | 'clock' | 'log'> &
  DirectMxParts &
  Pick<ProviderPorts, 'clock' | 'outbound'> & { secrets: Secrets }

export function openProviders(config: Config, parts: Parts): Promise<Providers> {
  const { clock, outbound, secrets } = parts
  const ports = {
    clock,
    outbound,
    tags: createAttemptTags(secrets.derive('amazon-ses tag')),
    directMx: directMxOptions(config, parts),
  }
  return routeProviders({
    ...parts,
    open: (choice) => openProvider(ports, choice),
    deployment: readProviderSettings(config),
    formerAccount: readFormerAccount(config),
    ratePerSecond: config.ratePerSecond,
  })
}

/** Throws `OperatorError` before anything is started when a setting cannot be used. */
export const readProviderSettings = (config: Config): ProviderChoice => readOrRefuse(() => choiceOf(config))

/**
 * Settings of Amazon SES beside another provider: mail left by that account before, and its feedback is still
 * accepted. Null: there are none. Throws as the other does.
 */
export const readFormerAccount = ({ provider, ses }: Config): SesSettings | null =>
  provider === 'amazon-ses' || (ses.topicArns === null && ses.queueUrl === null)
    ? null
    : readOrRefuse(() => readSesSettings(ses, (text) => variables[text]))

function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error))
  }
}

function choiceOf({ provider, smtpUrl, smtpConnections, ses }: Config): ProviderChoice {
  switch (provider) {
    case 'local-capture':
      return { type: provider }
    case 'smtp-relay':
      return { type: provider, relay: parseSmtpUrl(smtpUrl ?? ''), connections: smtpConnections }
    case 'amazon-ses':
      return { type: provider, settings: readSesSettings(ses, (text) => variables[text]) }
    case 'direct-mx':
      return { type: provider }
    default:
      return provider satisfies never
  }
}

const variables: Record<keyof SesTexts, string> = {
  region: 'FACTEUR_SES_REGION',
  accessKeyId: 'FACTEUR_SES_ACCESS_KEY_ID',
  secretAccessKey: 'FACTEUR_SES_SECRET_ACCESS_KEY',
  endpoint: 'FACTEUR_SES_ENDPOINT',
  configurationSet: 'FACTEUR_SES_CONFIGURATION_SET',
  topicArns: 'FACTEUR_SES_TOPIC_ARN',
  queueUrl: 'FACTEUR_SES_QUEUE_URL',
}
