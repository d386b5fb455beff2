/**
 * Makes a domain's next pair of DKIM keys: RSA for every receiver, Ed25519 for those that know it
 * (RFC 8463).
 */
import { generateKeyPair, randomBytes, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { insertKeyPair, type KeyAlgorithm } from '../../db/domains/domain-keys.ts'
import type { Database } from '../../database/client/database.ts'
import { publicKeyOf } from '../../mail/signing/dkim-record.ts'
import type { Secrets } from '../../ground/secrets.ts'
import { keyPurpose } from './key-purpose.ts'

export interface KeyPair {
  selector: string
  algorithm: KeyAlgorithm
  publicKey: string
  privateKey: KeyObject
}

/** Takes a good part of a second, so call it before any transaction. */
export async function makeKeyPair(): Promise<KeyPair[]> {
  // Random, since the domain may also have keys in another workspace or another installation.
  const stem = `fct${[...randomBytes(6)].map((byte) => (byte % 36).toString(36)).join('')}`
  const [rsa, ed25519] = await Promise.all([
    generate('rsa', { modulusLength: 2048 }),
    generate('ed25519', {}),
  ])
  return [
    { selector: `${stem}r`, algorithm: 'rsa-sha256', ...halves(rsa) },
    { selector: `${stem}e`, algorithm: 'ed25519-sha256', ...halves(ed25519) },
  ]
}

const generate = promisify(generateKeyPair)

const halves = ({
  publicKey,
  privateKey,
}: {
  publicKey: KeyObject
  privateKey: KeyObject
}): Pick<KeyPair, 'publicKey' | 'privateKey'> => ({
  publicKey: publicKeyOf(publicKey),
  privateKey,
})

/** Call it with the domain's row locked. */
export function storeKeyPair(
  db: Database,
  secrets: Secrets,
  { workspaceId, domain, keys }: { workspaceId: number; domain: string; keys: KeyPair[] },
): Promise<void> {
  const sealed = keys.map(({ selector, algorithm, publicKey, privateKey }) => {
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
    return {
      selector,
      algorithm,
      publicKey,
      sealed: secrets.seal(pkcs8, keyPurpose({ workspaceId, domain, selector })),
    }
  })
  return insertKeyPair(db, workspaceId, domain, sealed)
}
