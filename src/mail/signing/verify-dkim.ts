/**
 * Reads the DKIM signatures of a mail, and verifies them by a key that the caller has found (RFC
 * 6376 6.1).
 *
 * 1. Reading needs the mail, and no key: it hashes the body and puts the signed text together. It
 *    runs in a thread that may be stopped.
 * 2. Verifying needs the result alone. The caller knows where keys come from: our own database for
 *    a mail of ours, else DNS.
 */
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto'
import { readTagList } from '../../ground/dns/read-tags.ts'
import { canonicalBody, canonicalField, type HeaderFields } from './dkim-canonical.ts'
import type { DkimSigner } from './dkim.ts'

export interface ReadSignature {
  /** d=, in lower case. */
  domain: string
  /** s=, in lower case. */
  selector: string
  algorithm: DkimSigner['algorithm']
  /** Whether bh= is that of the body. Null if the mail was read without one. */
  bodyMatches: boolean | null
  /** The names in h=, in lower case. */
  names: string[]
  /**
   * The signed fields in the order of h=, each in its canonical form; a name of h= without a field
   * is missing.
   */
  fields: { name: string; text: string }[]
  /** The field of the signature itself, without the value of b=. */
  own: string
  signature: Buffer
}

/** Signatures of a mail that are read; a mail of ours has two. */
const signaturesMax = 5

/**
 * A null `body` means only the header is there. Signatures that we cannot verify are left out:
 * other algorithms, a part of the body (l=), expired ones (x=, against `nowSeconds`).
 */
export function readSignatures(
  { fields, body }: { fields: HeaderFields; body: Buffer | null },
  nowSeconds: number,
): ReadSignature[] {
  const hashes = new Map<string, string>()
  return (fields.get('dkim-signature') ?? []).slice(0, signaturesMax).flatMap((field) => {
    const tags = readTagList(unfold(field.slice(field.indexOf(':') + 1)))
    const algorithm = algorithms.find((known) => known === tags.get('a')?.toLowerCase())
    const [ofHeader = 'simple', ofBody = 'simple'] = (tags.get('c') ?? 'simple/simple')
      .toLowerCase()
      .split('/')
    const [domain, selector, bh] = ['d', 's', 'bh'].map(
      (name) => tags.get(name)?.toLowerCase() ?? '',
    )
    if (
      tags.get('v') !== '1' ||
      algorithm === undefined ||
      tags.has('l') ||
      !domain ||
      !selector ||
      !bh
    )
      return []
    if (
      !forms.has(ofHeader) ||
      !forms.has(ofBody) ||
      Number(tags.get('x') ?? Infinity) < nowSeconds
    )
      return []
    const names = (tags.get('h') ?? '')
      .toLowerCase()
      .split(':')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    // RFC 6376 5.4: From is always signed.
    if (!names.includes('from')) return []
    const canonical = ofHeader === 'relaxed' ? canonicalField : (text: string): string => text
    const bodyHash = (): string => {
      const known =
        hashes.get(ofBody) ??
        hash(
          'sha256',
          ofBody === 'relaxed' ? canonicalBody(body ?? empty) : simpleBody(body ?? empty),
          'base64',
        )
      hashes.set(ofBody, known)
      return known
    }
    return [
      {
        ...{ domain, selector, algorithm, names },
        bodyMatches: body === null ? null : bodyHash() === withoutSpace(tags.get('bh') ?? ''),
        fields: signedFields(names, fields).map(({ name, text }) => ({
          name,
          text: canonical(text),
        })),
        own: canonical(field.replace(signatureValue, '$1')),
        signature: Buffer.from(withoutSpace(tags.get('b') ?? ''), 'base64'),
      },
    ]
  })
}

const algorithms: DkimSigner['algorithm'][] = ['rsa-sha256', 'ed25519-sha256']
const forms = new Set(['simple', 'relaxed'])
const empty = Buffer.alloc(0)

/** The value of b=, which stands for nothing while it is computed (RFC 6376 3.7). */
const signatureValue = /((?:^[^:]*:|;)\s*b\s*=)[^;]*/i

const unfold = (text: string): string => text.replaceAll('\r\n', '')
const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '')

/** RFC 6376 5.4.2: of several fields with one name the last first. */
function signedFields(names: string[], fields: HeaderFields): { name: string; text: string }[] {
  const taken = new Map<string, number>()
  return names.flatMap((name) => {
    const result = fields.get(name) ?? []
    const count = (taken.get(name) ?? 0) + 1
    taken.set(name, count)
    const text = result[result.length - count]
    return text === undefined ? [] : [{ name, text }]
  })
}

/** RFC 6376 3.4.3: as it is, with one line end at its end. */
function simpleBody(body: Buffer): Buffer {
  let end = body.length
  while (end >= 2 && body[end - 2] === 13 && body[end - 1] === 10) end -= 2
  return Buffer.concat([body.subarray(0, end), Buffer.from('\r\n')])
}

/** Of header fields only: whether the body is the signed one is `bodyMatches`. */
export function verifySignature(
  { algorithm, fields, own, signature }: ReadSignature,
  key: KeyObject,
): boolean {
  const text = Buffer.from(`${fields.map((field) => `${field.text}\r\n`).join('')}${own}`, 'latin1')
  if (algorithm === 'rsa-sha256')
    return key.asymmetricKeyType === 'rsa' && verify('sha256', text, key, signature)
  return (
    key.asymmetricKeyType === 'ed25519' &&
    verify(null, hash('sha256', text, 'buffer'), key, signature)
  )
}

/**
 * Bits of an RSA key: RFC 8301 3.2, and an upper limit since a stranger's key decides how long
 * verifying takes.
 */
const [bitsMin, bitsMax] = [1_024, 4_096]

/** p= of a record as a key. Null if it is none that we verify by. */
export function readPublicKey(algorithm: DkimSigner['algorithm'], p: string): KeyObject | null {
  const bytes = Buffer.from(p, 'base64')
  try {
    if (algorithm === 'ed25519-sha256')
      return createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
        format: 'jwk',
      })
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' })
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    const isSound =
      key.asymmetricKeyType === 'rsa' &&
      modulusLength >= bitsMin &&
      modulusLength <= bitsMax &&
      publicExponent < 2n ** 32n
    return isSound ? key : null
  } catch {
    return null
  }
}
