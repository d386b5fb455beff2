/** Opens the providers: the one of the settings, and those of workspaces. */
import type { Config } from '../ground/config.ts'
import { OperatorError } from '../ground/operator-error.ts'
import type { ProviderChoice } from '../providers/provider-kind.ts'
import type { FeedbackAccount, ProviderParts } from '../providers/provider-parts.ts'
import { providerKinds } from '../providers/registry.ts'
import {
  routeProviders,
  type RoutedProviders,
  type RouteOptions,
} from '../providers/route-providers.ts'
import type { Secrets } from '../ground/secrets.ts'
import { directMxOptions, type DirectMxParts } from './open-direct-mx.ts'

type Parts = Pick<RouteOptions, 'clock' | 'log'> &
  DirectMxParts &
  Pick<ProviderParts, 'clock' | 'outbound'> & { secrets: Secrets }

export function openProviders(config: Config, parts: Parts): RoutedProviders {
  const { clock, outbound, secrets } = parts
  return routeProviders({
    ...parts,
    ports: { clock, outbound, secrets, directMx: directMxOptions(config, parts) },
    deployment: readProviderSettings(config),
    formerAccounts: readFormerAccounts(config),
    ratePerSecond: config.ratePerSecond,
  })
}

/** Throws `OperatorError` before anything is started when a setting cannot be used. */
export const readProviderSettings = (config: Config): ProviderChoice =>
  readOrRefuse(() => providerKinds[config.provider].readDeployment(config))

/**
 * Settings of a provider beside the chosen one: mail left by that account earlier, so its feedback
 * is still accepted. Throws like `readProviderSettings`.
 */
export const readFormerAccounts = (config: Config): FeedbackAccount[] =>
  Object.entries(providerKinds).flatMap(([name, { feedback }]) =>
    name === config.provider
      ? []
      : (readOrRefuse(() => feedback?.readFormerDeployment(config)) ?? []),
  )

function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error))
  }
}
