/**
 * Tokens in the links of mails and hosted pages: each names a workspace and its object, is signed,
 * and serves one purpose only.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/**
 * The action that the link of a mail allows. A token of one purpose is not valid for another
 * (security: What people reach).
 */
export type MailPurpose = 'confirm' | 'unsubscribe' | 'view' | 'track'

/**
 * `form`: the moment at which a sign-up form was shown. `data`: what is stored about a contact, once.
 */
export type LinkPurpose = MailPurpose | 'form' | 'data'

/**
 * The object of a token, as identifiers (UUIDs): a campaign and its subscriber, or a subscriber and
 * the asked consent, or a subscriber and the evidence of their request.
 */
export interface LinkSubject {
  workspaceId: number
  first: string
  second: string
}

export interface LinkTokens {
  /**
   * 64 characters of the base64url alphabet (RFC 4648 5): safe in a path and in a mailbox's local
   * part of another 64.
   */
  make(purpose: LinkPurpose, subject: LinkSubject): string
  /**
   * The tokens of all purposes of a mail at the cost of one, because a campaign makes them for each
   * recipient.
   */
  makeAll(subject: LinkSubject): Record<MailPurpose, string>
  /** Null when it was not made by us, for this purpose. */
  read(purpose: LinkPurpose, token: string): LinkSubject | null
}

/** 48-bit workspace, two UUIDs, 80 bits of signature. */
const SUBJECT_BYTES = 6 + 16 + 16
const SIGNATURE_BYTES = 10

/**
 * Each purpose signs with its own slice of one HMAC-SHA-512: slices are as independent as separate
 * keys would make them.
 */
const slices: Record<LinkPurpose, number> = {
  confirm: 0,
  unsubscribe: 10,
  view: 20,
  track: 30,
  form: 40,
  data: 50,
}

/** `key` signs links and nothing else: `secrets.derive('links')`. */
export function createLinkTokens(key: Buffer): LinkTokens {
  // Prepared once, because the preparation costs three times as much as a signature.
  const secret = createSecretKey(key)
  const sign = (subject: Buffer): Buffer => createHmac('sha512', secret).update(subject).digest()
  const write = (subject: Buffer, signatures: Buffer, purpose: LinkPurpose): string => {
    const from = slices[purpose]
    return Buffer.concat([subject, signatures.subarray(from, from + SIGNATURE_BYTES)]).toString(
      'base64url',
    )
  }
  return {
    make(purpose, subject) {
      const bytes = pack(subject)
      return write(bytes, sign(bytes), purpose)
    },
    makeAll(subject) {
      const bytes = pack(subject)
      const signatures = sign(bytes)
      return {
        confirm: write(bytes, signatures, 'confirm'),
        unsubscribe: write(bytes, signatures, 'unsubscribe'),
        view: write(bytes, signatures, 'view'),
        track: write(bytes, signatures, 'track'),
      }
    },
    read(purpose, token) {
      if (!/^[\w-]{64}$/.test(token)) return null
      const bytes = Buffer.from(token, 'base64url')
      const subject = bytes.subarray(0, SUBJECT_BYTES)
      const from = slices[purpose]
      const expected = sign(subject).subarray(from, from + SIGNATURE_BYTES)
      return timingSafeEqual(expected, bytes.subarray(SUBJECT_BYTES)) ? unpack(subject) : null
    },
  }
}

function pack({ workspaceId, first, second }: LinkSubject): Buffer {
  const bytes = Buffer.alloc(SUBJECT_BYTES)
  bytes.writeUIntBE(workspaceId, 0, 6)
  bytes.write(first.replaceAll('-', ''), 6, 'hex')
  bytes.write(second.replaceAll('-', ''), 22, 'hex')
  return bytes
}

const unpack = (bytes: Buffer): LinkSubject => ({
  workspaceId: bytes.readUIntBE(0, 6),
  first: toUuid(bytes.toString('hex', 6, 22)),
  second: toUuid(bytes.toString('hex', 22, 38)),
})

const toUuid = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
