/** The master key: from the environment or the data folder, and always the one that this database's secrets are sealed with. */
import type { Config } from '../config.ts'
import type { Database } from '../db/connect.ts'
import { masterKeyFingerprint, rememberMasterKey } from '../db/installation.ts'
import { OperatorError } from '../operator-error.ts'
import { createSecrets, makeMasterKey, readMasterKey } from '../secrets.ts'
import type { Secrets } from '../secrets.ts'

/** Throws `OperatorError` when the key is not the database's, or an external database comes without one. */
export async function openSecrets(config: Config, db: Database): Promise<Secrets> {
  const known = await masterKeyFingerprint(db)
  const secrets = createSecrets(findKey(config, known !== null))
  if (known === null) await rememberMasterKey(db, secrets.fingerprint)
  const sealedWith = known ?? (await masterKeyFingerprint(db))
  if (sealedWith !== secrets.fingerprint) {
    throw new OperatorError(
      `${whereFrom(config)} is not the key that this database's secrets are sealed with: use the one of its first start.`,
    )
  }
  return secrets
}

function findKey(config: Config, inUse: boolean): Buffer {
  if (config.masterKey) return config.masterKey
  if (config.databaseUrl !== null) {
    throw new OperatorError(
      'FACTEUR_MASTER_KEY is needed with DATABASE_URL, the same for every process: make one with `openssl rand -base64 32` and keep it.',
    )
  }
  const key = readMasterKey(config.dataFolder)
  if (key) return key
  if (inUse)
    throw new OperatorError(
      `${config.dataFolder}/master.key is missing: put it back from a copy. Without it the secrets in the database cannot be read.`,
    )
  return makeMasterKey(config.dataFolder)
}

const whereFrom = (config: Config): string => (config.masterKey ? 'FACTEUR_MASTER_KEY' : `${config.dataFolder}/master.key`)
