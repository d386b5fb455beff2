/**
 * Secrets that are stored and must be read again: sealed by AES-256-GCM under the master key of the
 * installation.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseMasterKey } from './setting-readers.ts'
import { OperatorError } from './operator-error.ts'

export interface Secrets {
  /**
   * Identifies the master key without revealing it. The database stores it, so that the start
   * refuses a wrong key.
   */
  fingerprint: string
  /**
   * `purpose` binds the text to its place: what was sealed for one purpose does not open for
   * another.
   */
  seal(text: string, purpose: string): Buffer
  /** Throws when the bytes were changed, sealed under another key or for another purpose. */
  open(sealed: Buffer, purpose: string): string
  /** A key of its own for signing tokens of one purpose. */
  derive(purpose: string): Buffer
}

/** NIST SP 800-38D 8.2.2: a random nonce of 96 bits; the tag is whole. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 4
const FORMAT = 1

/**
 * Sealed: format (1), key id (4), nonce (12), tag (16), ciphertext. The key id says which key to
 * look for after a change of keys.
 */
export function createSecrets(masterKey: Buffer): Secrets {
  const derive = (purpose: string): Buffer =>
    createHmac('sha256', masterKey).update(`facteur ${purpose}`).digest()
  const sealingKey = derive('seal')
  const fingerprint = derive('fingerprint').toString('hex').slice(0, 32)
  const keyId = Buffer.from(fingerprint, 'hex').subarray(0, KEY_ID_BYTES)
  return {
    fingerprint,
    derive,
    seal(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORMAT), keyId, nonce, cipher.getAuthTag(), body])
    },
    open(sealed, purpose) {
      const [format, id, nonce, tag, body] = split(sealed, [
        1,
        KEY_ID_BYTES,
        NONCE_BYTES,
        TAG_BYTES,
      ])
      if (format[0] !== FORMAT) throw new Error('A sealed secret has an unknown format')
      if (!id.equals(keyId)) throw new Error('A secret was sealed under another master key')
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, nonce)
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag)
      return decipher.update(body, undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** The master key of a data folder; null when it has none. */
export function readMasterKey(folder: string): Buffer | null {
  const file = masterKeyFile(folder)
  if (!existsSync(file)) return null
  const key = parseMasterKey(readFileSync(file, 'utf8'))
  if (!key) throw new OperatorError(`${file} does not hold a master key: put it back from a copy.`)
  return key
}

/**
 * Makes one that only its owner can read. Two processes that do so together end with the same key:
 * the first link wins.
 */
export function makeMasterKey(folder: string, key: Buffer = randomBytes(32)): Buffer {
  const unfinished = `${masterKeyFile(folder)}.${process.pid}`
  writeFileSync(unfinished, `${key.toString('base64')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(unfinished, masterKeyFile(folder))
    return key
  } catch (error) {
    const other = readMasterKey(folder)
    if (!other) throw error
    return other
  } finally {
    rmSync(unfinished, { force: true })
  }
}

const masterKeyFile = (folder: string): string => join(folder, 'master.key')

function split(
  bytes: Buffer,
  lengths: [number, number, number, number],
): [Buffer, Buffer, Buffer, Buffer, Buffer] {
  let at = 0
  const take = (length?: number): Buffer =>
    bytes.subarray(at, length === undefined ? undefined : (at += length))
  return [take(lengths[0]), take(lengths[1]), take(lengths[2]), take(lengths[3]), take()]
}
