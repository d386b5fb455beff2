/**
 * Reads the account for Google's Postmaster Tools from its key file, where the settings name one.
 */
import type { Config } from '../ground/config.ts'
import type { PostmasterAccount } from '../core/postmaster/postmaster-api.ts'
import { readServiceAccount } from '../core/postmaster/service-account.ts'
import { readSecretFile } from '../ground/secret-file.ts'

/**
 * Null if they are not read. Throws `OperatorError` when the file cannot be read, or holds no key
 * of a service account.
 */
export function readPostmasterAccount({
  postmaster: { keyFile, user, endpoint },
}: Config): PostmasterAccount | null {
  if (keyFile === null) return null
  const source = `FACTEUR_GOOGLE_POSTMASTER_KEY: ${keyFile}`
  return {
    account: readServiceAccount(readSecretFile('FACTEUR_GOOGLE_POSTMASTER_KEY', keyFile), source),
    user,
    endpoint,
  }
}
