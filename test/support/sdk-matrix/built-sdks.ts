/** Where `test/referees/sdks/fetch.sh` has built the programs of other languages. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { diskFolder } from '../temporary-folder.ts'

export const sdkSources = join(import.meta.dirname, '../../referees/sdks')
const built = process.env['FACTEUR_SDKS'] ?? join(diskFolder(), 'facteur-sdks')

/** The folder of a language's program; Node.js has its SDK in our own packages. */
export const sdkFolder = (language: string): string =>
  language === 'node' ? sdkSources : join(built, language)

/** What a test of this language gives as `skip`. */
export const skipsSdk = (language: string): false | string =>
  language === 'node' || isBuilt(language)
    ? false
    : `no Resend SDK for ${language}: sh test/referees/sdks/fetch.sh builds it where its registry is reached`

/**
 * True when the program was built from the sources of this checkout (`fetch.sh` leaves their
 * digest).
 */
function isBuilt(language: string): boolean {
  const files = globSync(`${sdkSources}/${language}/**`, { withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
  const digest = createHash('sha256')
  for (const file of files.toSorted()) digest.update(readFileSync(file))
  try {
    return readFileSync(join(built, language, 'stamp'), 'utf8').trim() === digest.digest('hex')
  } catch {
    return false
  }
}

/** The variables that the SDKs read: RESEND_BASE_URL, and Python's RESEND_API_URL. */
export const whereSdksCall = (url: string, key: string): NodeJS.ProcessEnv => ({
  RESEND_BASE_URL: url,
  RESEND_API_URL: url,
  RESEND_API_KEY: key,
})
