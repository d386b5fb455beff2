/**
 * Loads the master key: from the environment or the data folder, and only if it is the one that
 * seals this database's secrets.
 */
import type { Config } from '../ground/config.ts'
import type { Database } from '../database/client/database.ts'
import {
  findInstallation,
  masterKeyFingerprint,
  rememberInstallation,
} from '../database/schema/installation.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { languageOfNew } from './service-settings.ts'
import { createSecrets, makeMasterKey, readMasterKey, type Secrets } from '../ground/secrets.ts'

/**
 * Throws `OperatorError` when the key is not the database's, or an external database comes without
 * one.
 */
export async function openSecrets(config: Config, db: Database): Promise<Secrets> {
  const known = await masterKeyFingerprint(db)
  const secrets = createSecrets(findKey(config, known !== null))
  if (known === null)
    await rememberInstallation(db, {
      fingerprint: secrets.fingerprint,
      language: languageOfNew(config).language,
    })
  refuseOtherKey(config, secrets, known ?? (await masterKeyFingerprint(db)))
  return secrets
}

/**
 * Refuses the keys that `openSecrets` would refuse, before the schema changes. A command may come
 * without a key: `isNeeded` is false.
 */
export async function checkMasterKey(
  config: Config,
  connectionString: string,
  isNeeded: boolean,
): Promise<void> {
  const known = await findInstallation(connectionString)
  if (known === null) return
  const key = isNeeded ? findKey(config, true) : keyAtHand(config)
  if (key) refuseOtherKey(config, createSecrets(key), known.fingerprint)
}

function refuseOtherKey(config: Config, { fingerprint }: Secrets, known: string | null): void {
  if (known === fingerprint) return
  throw new OperatorError(
    `${whereFrom(config)} is not the key that this database's secrets are sealed with: use the one of its first start.`,
  )
}

const keyAtHand = (config: Config): Buffer | null =>
  config.masterKey ?? (config.databaseUrl === null ? readMasterKey(config.dataFolder) : null)

export const keyIsMissing =
  'FACTEUR_MASTER_KEY is needed with DATABASE_URL, the same for every process: make one with `openssl rand -base64 32` and keep it.'

function findKey(config: Config, inUse: boolean): Buffer {
  const key = keyAtHand(config)
  if (key) return key
  if (config.databaseUrl !== null) throw new OperatorError(keyIsMissing)
  if (inUse)
    throw new OperatorError(
      `${config.dataFolder}/master.key is missing: put it back from a copy. Without it the secrets in the database cannot be read.`,
    )
  return makeMasterKey(config.dataFolder)
}

const whereFrom = (config: Config): string =>
  config.masterKey ? 'FACTEUR_MASTER_KEY' : `${config.dataFolder}/master.key`
