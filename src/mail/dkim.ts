/** DKIM signatures (RFC 6376, RFC 8463): relaxed/relaxed over an explicit list of headers, one signature for each key. */
import type { KeyObject } from 'node:crypto'

/** One key and the name that its other half is found by. */
export interface DkimSigner {
  algorithm: 'rsa-sha256' | 'ed25519-sha256'
  /** The signing domain, d=: an A-label. */
  domain: string
  selector: string
  /** The private key, parsed once: as a PEM text it would be parsed for each mail. */
  key: KeyObject
}

/**
 * Puts one DKIM-Signature for each signer in front of a whole message (CRLF line ends).
 * The same message and time give the same bytes: nothing in a signature is drawn by lot, and `signedAt` is the message's Date.
 */
export type SignMessage = (bytes: Buffer, signers: readonly DkimSigner[], options: { signedAt: Date }) => Promise<Buffer>
