/**
 * Defines API keys: `fct_live_<workspace>_<secret><checksum>`, so that a look-up is routed and
 * typing errors cost no query.
 */
import { hash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { crc32 } from 'node:zlib'

const keyPrefix = 'fct_live_'
// No letters that look alike (Crockford's alphabet in lower case).
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const secretLength = 36
const checksumLength = 6
const keyPattern = new RegExp(
  `^${keyPrefix}([1-9][0-9]{0,14})_([${alphabet}]{${secretLength}})([${alphabet}]{${checksumLength}})$`,
)

/**
 * Makes a workspace's new key: 36 letters of 5 bits are 180 random bits. It is shown once; only the
 * digest is stored.
 */
export function makeApiKeySecret(workspaceId: number): {
  key: string
  prefix: string
  digest: Buffer
} {
  const secret = spell(randomBytes(secretLength))
  const start = `${keyPrefix}${workspaceId}_`
  const key = `${start}${secret}${checksum(`${start}${secret}`)}`
  return { key, prefix: key.slice(0, start.length + 4), digest: digestOf(key) }
}

/**
 * The text with the beginning of each key only: somebody may have given one where a path or a name
 * belongs.
 */
export const withoutKeys = (text: string): string =>
  text.replaceAll(/(fct_live_\d{1,15}_\w{4})\w+/g, '$1…')

/** The credentials of a request. `malformed`: not a key of ours, or two headers that differ. */
export type ApiKeyCredentials =
  | { kind: 'none' }
  | { kind: 'malformed' }
  | { kind: 'key'; workspaceId: number; digest: Buffer }

/** Reads the key from either header (spec: Authentication 1). */
export function readCredentials(headers: IncomingHttpHeaders): ApiKeyCredentials {
  const bearer =
    headers.authorization === undefined
      ? undefined
      : (/^bearer +(\S+) *$/i.exec(headers.authorization)?.[1] ?? '')
  const named = headers['x-api-key']?.toString()
  if (bearer === undefined && named === undefined) return { kind: 'none' }
  if (bearer !== undefined && named !== undefined && bearer !== named) return { kind: 'malformed' }
  return readKey(bearer ?? named ?? '')
}

/**
 * Caches well-formed keys, since a caller sends the same key with every call. The database decides
 * whether it is valid.
 */
const read = new Map<string, ApiKeyCredentials>()
const readMax = 1000

function readKey(text: string): ApiKeyCredentials {
  const earlier = read.get(text)
  if (earlier) return earlier
  const [, workspace, secret, sum] = keyPattern.exec(text) ?? []
  if (!workspace || sum !== checksum(`${keyPrefix}${workspace}_${secret}`))
    return { kind: 'malformed' }
  const credentials: ApiKeyCredentials = {
    kind: 'key',
    workspaceId: Number(workspace),
    digest: digestOf(text),
  }
  if (read.size === readMax) read.clear()
  read.set(text, credentials)
  return credentials
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')

const spell = (bytes: Buffer): string => Array.from(bytes, (byte) => alphabet[byte & 31]).join('')

function checksum(text: string): string {
  let rest = crc32(text)
  let spelled = ''
  for (let index = 0; index < checksumLength; index++) {
    spelled += alphabet[rest & 31]
    rest >>>= 5
  }
  return spelled
}
