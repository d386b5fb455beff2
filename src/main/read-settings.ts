/** Reads and validates the settings of a start, before it creates or changes anything. */
import { createServer } from 'node:net'
import {
  refuseAll,
  surveyConfig,
  type Config,
  type Environment,
  type SettingName,
  type Survey,
} from '../ground/config.ts'
import { submissionPorts } from '../core/submission-ports.ts'
import { refuseRunningFolder } from '../database/embedded/embedded-postgres.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { readMasterKey } from '../ground/secrets.ts'
import { explainingPort, type PortUse } from './explaining-port.ts'
import { inboundCertificate } from './open-inbound.ts'
import { readPostmasterAccount } from './open-postmaster.ts'
import { readFormerAccounts, readProviderSettings } from './open-providers.ts'
import { submissionCertificate, submissionSettings } from './open-submission.ts'
import { followMove } from './move-file.ts'
import { readCertificate } from './read-certificate.ts'
import { keyIsMissing } from './open-secrets.ts'
import type { ProcessRole } from './roles.ts'

/** Throws one `OperatorError` with all refusals, a line each. */
export async function readSettings(
  env: Environment,
  roles: readonly ProcessRole[],
): Promise<Config> {
  const { config, problems: wrong, refused } = await surveySettings(env)
  const problems = [...wrong, ...refused]
  const isRead = (...names: SettingName[]): boolean =>
    !problems.some((line) => names.some((name) => line.startsWith(name)))
  // Many commands work without a master key, but a start does not.
  if (config.databaseUrl !== null && config.masterKey === null && isRead('FACTEUR_MASTER_KEY'))
    problems.push(keyIsMissing)
  // While the service runs, its ports are not free: the data folder shows whether it runs.
  if (config.databaseUrl === null && problems.length === 0) refuseRunningFolder(config.dataFolder)
  for (const required of placesOf(config, roles)) {
    if (isRead(required.setting, required.hostSetting))
      problems.push(...(await problemsOf(() => tryPort(required))))
  }
  refuseAll(problems)
  return config
}

export interface SettingsSurvey extends Survey {
  /** As `problems`, for readable values that cannot be used. */
  refused: string[]
}

/** Reads the settings of any process, with the refusals of the modules that use them. */
export async function surveySettings(env: Environment): Promise<SettingsSurvey> {
  const { config: surveyed, problems } = surveyConfig(env)
  const refused: string[] = []
  let config = surveyed
  refused.push(...(await problemsOf(() => (config = followMove(surveyed)))))
  for (const use of [
    () => readProviderSettings(config),
    () => readFormerAccounts(config),
    () => config.inboundTls && readCertificate(config.inboundTls, inboundCertificate),
    () => config.submissionTls && readCertificate(config.submissionTls, submissionCertificate),
    () => readPostmasterAccount(config),
    () =>
      config.databaseUrl === null && config.masterKey === null && readMasterKey(config.dataFolder),
  ]) {
    refused.push(...(await problemsOf(use)))
  }
  return { config, problems, refused }
}

/** Where a process with these roles listens; 0 is a port that the system finds. */
function placesOf(config: Config, roles: readonly ProcessRole[]): Required<PortUse>[] {
  const { host, port, healthPort, inboundHost, inboundPort } = config
  const hostSetting = 'FACTEUR_HOST'
  const places: (Required<PortUse> | null)[] = [
    roles.includes('api') ? { host, port, setting: 'FACTEUR_PORT', hostSetting } : null,
    !roles.includes('api') && healthPort !== null
      ? { host, port: healthPort, setting: 'FACTEUR_HEALTH_PORT', hostSetting }
      : null,
    roles.includes('inbound') && inboundPort !== null
      ? {
          host: inboundHost,
          port: inboundPort,
          setting: 'FACTEUR_INBOUND_PORT',
          hostSetting: 'FACTEUR_INBOUND_HOST',
        }
      : null,
    ...(roles.includes('submission') ? submissionAddresses(config) : []),
  ]
  return places.flatMap((required) => required ?? [])
}

/** None where nobody asked for them: a start goes on without. */
function submissionAddresses(config: Config): Required<PortUse>[] {
  const { host, isDefault, ...ports } = submissionPorts(config)
  if (isDefault) return []
  return (['port', 'tlsPort'] as const).flatMap((name) => {
    const { [name]: port } = ports
    return port === null
      ? []
      : [{ host, port, setting: submissionSettings[name], hostSetting: 'FACTEUR_SUBMISSION_HOST' }]
  })
}

/**
 * Listens and stops at once, because only the system knows which addresses and ports are free to
 * use.
 */
function tryPort(required: Required<PortUse>): Promise<void> {
  return explainingPort(
    required,
    () =>
      new Promise<void>((resolve, reject) => {
        const server = createServer()
        server.once('error', reject)
        server.listen({ host: required.host, port: required.port, exclusive: true }, () =>
          server.close(() => resolve()),
        )
      }),
  )
}

/** The refusal of one reading, as a list of none or one line. */
async function problemsOf(use: () => unknown): Promise<string[]> {
  try {
    await use()
    return []
  } catch (error) {
    if (error instanceof OperatorError) return [error.message]
    throw error
  }
}
