/**
 * DKIM signatures (RFC 6376, RFC 8463): relaxed/relaxed over an explicit list of headers, one
 * signature for each key.
 *
 * 1. The body is hashed once for all signatures (RFC 6376 3.7).
 * 2. So are the signed headers; each signature differs only in its own field, with an empty value.
 * 3. RSA signs on the thread pool: it takes ten times as long as all the rest together.
 */
import { hash, sign, type KeyObject } from 'node:crypto'
import {
  canonicalBody,
  canonicalField,
  readHeaderFields,
  type HeaderFields,
} from './dkim-canonical.ts'
import { words } from '../../ground/words.ts'

/** One key, and the name in DNS of its public half. */
export interface DkimSigner {
  algorithm: 'rsa-sha256' | 'ed25519-sha256'
  /** The signing domain, d=: an A-label. */
  domain: string
  selector: string
  /** The private key, parsed once: each mail would parse a PEM text again. */
  key: KeyObject
}

/**
 * Puts one DKIM-Signature for each signer in front of a whole message (CRLF line ends); without
 * signers it is as it was. The same message and time give the same bytes: nothing in a signature is
 * drawn by lot, and `signedAt` is the message's Date.
 */
export async function signMessage(
  bytes: Buffer,
  signers: readonly DkimSigner[],
  { signedAt }: { signedAt: Date },
): Promise<Buffer> {
  if (signers.length === 0) return bytes
  const { fields, body } = readHeaderFields(bytes)
  const bodyHash = hash('sha256', canonicalBody(body), 'base64')
  const { names, text } = signedHeaders(fields)
  const t = Math.floor(signedAt.getTime() / 1000)
  const h = foldNames(names)
  const signatures = await Promise.all(
    signers.map(async (signer) => {
      const field = unsignedField(signer, { t, h, bodyHash })
      const signature = await signText(signer, Buffer.from(text + field.canonical, 'latin1'))
      return Buffer.from(`${field.folded}${foldBase64(signature)}\r\n`, 'latin1')
    }),
  )
  return Buffer.concat([...signatures, bytes])
}

/**
 * The signature names these once more than they occur, so that no one can add one (RFC 6376 8.15):
 * the headers that a reader sees, and those that say how to read the mail.
 */
const oversigned = words(`
  from reply-to to cc subject date message-id mime-version content-type content-transfer-encoding
`)

/**
 * The same if the mail has them: mailing lists may add theirs to a mail without. RFC 8058 4
 * requires both of its headers.
 */
const oversignedWhenPresent = words(`
  sender in-reply-to references list-id list-unsubscribe list-unsubscribe-post list-help feedback-id cfbl-address
  cfbl-feedback-id precedence auto-submitted
`)

/**
 * `names` is h=; `text` the fields in that order, of several with one name the last first (RFC 6376
 * 5.4.2).
 */
function signedHeaders(fields: HeaderFields): { names: string[]; text: string } {
  const names: string[] = []
  let text = ''
  const add = (name: string, matches: string[]): void => {
    for (let index = matches.length - 1; index >= 0; index--)
      text += `${canonicalField(matches[index] ?? '')}\r\n`
    for (let count = 0; count <= matches.length; count++) names.push(name)
  }
  for (const name of oversigned) add(name, fields.get(name) ?? [])
  for (const name of oversignedWhenPresent) {
    const result = fields.get(name)
    if (result) add(name, result)
  }
  return { names, text }
}

/**
 * The field with an empty b= at its end: the signed text ends there (RFC 6376 3.7). `folded` is
 * sent, `canonical` is signed. The relaxed form turns each fold into one space, and no value holds
 * other white space, so both are written directly.
 */
function unsignedField(
  { algorithm, domain, selector }: DkimSigner,
  { t, h, bodyHash }: { t: number; h: string[]; bodyHash: string },
): { folded: string; canonical: string } {
  const write = (fold: string, nestedFold: string): string =>
    ['', `s=${selector}; t=${t};`, `h=${h.join(nestedFold)};`, `bh=${bodyHash};`, 'b='].join(fold)
  const first = `v=1; a=${algorithm}; c=relaxed/relaxed; d=${domain};`
  return {
    folded: `DKIM-Signature: ${first}${write('\r\n ', '\r\n  ')}`,
    canonical: `dkim-signature:${first}${write(' ', ' ')}`,
  }
}

/**
 * Splits the names of h= into lines of at most 78 characters, counting the indent and ` h=` (RFC
 * 5322 2.1.1).
 */
function foldNames(names: string[]): string[] {
  const lines: string[] = []
  let line = ''
  for (const name of names) {
    // Retries must give the same bytes as before, also after an upgrade: these lengths stay.
    if (line.length + name.length + 1 > (lines.length === 0 ? 74 : 75)) {
      lines.push(line)
      line = ''
    }
    line += `${name}:`
  }
  return [...lines, line.slice(0, -1)]
}

function foldBase64(signature: Buffer): string {
  const text = signature.toString('base64')
  const lines: string[] = []
  for (let at = 0; at < text.length; at += 72) lines.push(text.slice(at, at + 72))
  return lines.join('\r\n ')
}

/** RFC 8463 3: Ed25519 signs the SHA-256 of the text, faster than a hand-over to another thread. */
function signText({ algorithm, key }: DkimSigner, text: Buffer): Promise<Buffer> | Buffer {
  if (algorithm === 'ed25519-sha256') return sign(null, hash('sha256', text, 'buffer'), key)
  return new Promise((resolve, reject) => {
    sign('sha256', text, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}
