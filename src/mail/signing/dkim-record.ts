/** The public half of a DKIM key, as a DNS record (RFC 6376 3.6.1, RFC 8463 4.2). */
import type { KeyObject } from 'node:crypto'
import { readTagList } from '../../ground/dns/read-tags.ts'
import type { DkimSigner } from './dkim.ts'

/** p=: an RSA key whole with its algorithm, an Ed25519 key as its 32 octets. */
export function publicKeyOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' })
  // RFC 8410 4: the key is what the SubjectPublicKeyInfo ends with.
  return (key.asymmetricKeyType === 'ed25519' ? der.subarray(-32) : der).toString('base64')
}

export const keyRecord = (algorithm: DkimSigner['algorithm'], publicKey: string): string =>
  `v=DKIM1; k=${keyType(algorithm)}; p=${publicKey}`

const keyType = (algorithm: DkimSigner['algorithm']): string =>
  algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'

/** The problem of a record for a key. Null means the key's signatures pass by it. */
export type KeyFault =
  | 'not_dkim'
  | 'revoked'
  | 'other_key'
  | 'other_kind'
  | 'other_hash'
  | 'testing'
  | 'other_service'

/**
 * RFC 6376 3.6.1: tags in any order; v=, k=, h=, s= and t= have a meaning when they are absent.
 * `testing` is a warning: receivers may ignore the signature.
 */
export function checkKeyRecord(
  text: string,
  expected: { algorithm: DkimSigner['algorithm']; publicKey: string },
): KeyFault | null {
  const tags = readTagList(text)
  const p = tags.get('p')
  if (p === undefined || (tags.get('v') ?? 'DKIM1') !== 'DKIM1') return 'not_dkim'
  if (p === '') return 'revoked'
  if ((tags.get('k') ?? 'rsa') !== keyType(expected.algorithm)) return 'other_kind'
  if (p.replace(/\s/g, '') !== expected.publicKey) return 'other_key'
  if (!listed(tags.get('h'), 'sha256')) return 'other_hash'
  if (!listed(tags.get('s'), 'email') && !listed(tags.get('s'), '*')) return 'other_service'
  return listed(tags.get('t') ?? '', 'y') ? 'testing' : null
}

/** An absent list allows everything. */
const listed = (value: string | undefined, word: string): boolean =>
  value === undefined || value.split(':').some((part) => part.trim() === word)
