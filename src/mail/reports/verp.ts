/**
 * Return paths that name one recipient of one mail (VERP: a return path of its own for each
 * envelope). Their signature proves whom a returned mail concerns.
 *
 *   b-<token> MAIL FROM of our mails: bounces and complaints come to it u-<token> the mailto of
 *   List-Unsubscribe p-<token> a bounce that the operator's `doctor` sends to itself f-<token> no
 *   address: the CFBL-Feedback-ID of a mail, by which a complaint finds its recipient
 *   (feedback-headers.ts)
 *
 * A local part has at most 64 octets (RFC 5321 4.5.3.1.1), and mail systems may change its case. So
 * a token is base32 (RFC 4648 6): 62 characters hold 38 octets. Workspace, two identifiers and a
 * signature do not fit, so a token has two parts of a campaign's identifier: the millisecond of its
 * making (the first 48 bits of a UUIDv7) and its last 16 random bits. The reader of a token looks
 * the campaign up by both in the workspace. If two of one millisecond share them (1 in 65,536), the
 * token names neither. The signature covers everything, so that forgery is refused before any
 * look-up.
 *
 *   message workspace 5 · message 16 · position 1 · signature 9 = 31 octets, 50 characters campaign
 *   workspace 5 · made 6 · last 2 · subscriber 16 · signature 9 = 38 octets, 61 characters
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { fromBase32, toBase32 } from '../../ground/base32.ts'

/**
 * A message's recipient, a campaign's, or a probe of the operator's (which is no mail of a
 * workspace).
 */
export type MailSubject =
  | { workspaceId: number; messageId: string; position: number }
  | { workspaceId: number; campaignId: string; subscriberId: string }

/**
 * The contents of a token. A campaign is named in part: `timePart` are its identifier's first 12
 * hexadecimal digits, `last` its last 4.
 */
export type NamedSubject =
  | { workspaceId: number; messageId: string; position: number }
  | { workspaceId: number; campaign: { timePart: string; last: string }; subscriberId: string }

export type AddressPurpose = 'bounce' | 'unsubscribe' | 'probe'

/**
 * Mail to `feedback` is refused: such a token stands in headers that are quoted wherever a mail
 * goes.
 */
export type TokenPurpose = AddressPurpose | 'feedback'

export type VerpTokens = ReturnType<typeof createVerpTokens>

const prefixes: Record<TokenPurpose, string> = {
  bounce: 'b-',
  unsubscribe: 'u-',
  probe: 'p-',
  feedback: 'f-',
}

/**
 * Each purpose signs with its own slice of one HMAC-SHA-512: slices are as independent as separate
 * keys would make them.
 */
const slices: Record<TokenPurpose, number> = { bounce: 0, unsubscribe: 9, probe: 18, feedback: 27 }

/** 72 bits, because an attacker has only one guess a command, over the network. */
const SIGNATURE_BYTES = 9
const MESSAGE_BYTES = 5 + 16 + 1
const CAMPAIGN_BYTES = 5 + 6 + 2 + 16

/** `key` signs addresses and nothing else: `secrets.derive('return path')`. */
export function createVerpTokens(key: Buffer) {
  const secret = createSecretKey(key)
  const sign = (subject: Buffer): Buffer => createHmac('sha512', secret).update(subject).digest()
  const slice = (signatures: Buffer, purpose: TokenPurpose): Buffer =>
    signatures.subarray(slices[purpose], slices[purpose] + SIGNATURE_BYTES)
  const write = (subject: Buffer, signatures: Buffer, purpose: TokenPurpose): string =>
    prefixes[purpose] + toBase32(Buffer.concat([subject, slice(signatures, purpose)]))
  const read = (text: string, purpose: TokenPurpose): NamedSubject | null => {
    const bytes = fromBase32(text.slice(2))
    if (bytes === null) return null
    const subject = bytes.subarray(0, -SIGNATURE_BYTES)
    if (subject.length !== MESSAGE_BYTES && subject.length !== CAMPAIGN_BYTES) return null
    const isOurs = timingSafeEqual(slice(sign(subject), purpose), bytes.subarray(-SIGNATURE_BYTES))
    return isOurs ? unpack(subject) : null
  }
  return {
    /**
     * A local part of at most 64 octets, in lower case. It takes microseconds: campaigns make one
     * for each recipient.
     */
    make(purpose: TokenPurpose, subject: MailSubject): string {
      const bytes = pack(subject)
      return write(bytes, sign(bytes), purpose)
    },
    /** All tokens of a recipient's mail, at the price of one. */
    makeAll(subject: MailSubject): { bounce: string; unsubscribe: string; feedback: string } {
      const bytes = pack(subject)
      const signatures = sign(bytes)
      return {
        bounce: write(bytes, signatures, 'bounce'),
        unsubscribe: write(bytes, signatures, 'unsubscribe'),
        feedback: write(bytes, signatures, 'feedback'),
      }
    },
    /**
     * Of an address, in whatever case it comes back; null when it was not made by us, for this
     * purpose.
     */
    read(localPart: string): { purpose: AddressPurpose; subject: NamedSubject } | null {
      const text = localPart.toLowerCase()
      const purpose = purposes.find((known) => text.startsWith(prefixes[known]))
      const subject = purpose === undefined ? null : read(text, purpose)
      return purpose === undefined || subject === null ? null : { purpose, subject }
    },
    /** Of a CFBL-Feedback-ID; null when it was not made by us. */
    readFeedbackId(text: string): NamedSubject | null {
      return text.startsWith(prefixes.feedback) ? read(text, 'feedback') : null
    },
  }
}

const purposes: AddressPurpose[] = ['bounce', 'unsubscribe', 'probe']

/** The two kinds differ in length, so one is never read as the other. */
function pack(subject: MailSubject): Buffer {
  if ('messageId' in subject) {
    const bytes = Buffer.alloc(MESSAGE_BYTES)
    bytes.writeUIntBE(subject.workspaceId, 0, 5)
    bytes.write(hexOf(subject.messageId), 5, 'hex')
    bytes.writeUInt8(subject.position, 21)
    return bytes
  }
  const campaign = hexOf(subject.campaignId)
  const bytes = Buffer.alloc(CAMPAIGN_BYTES)
  bytes.writeUIntBE(subject.workspaceId, 0, 5)
  bytes.write(campaign.slice(0, 12) + campaign.slice(-4), 5, 'hex')
  bytes.write(hexOf(subject.subscriberId), 13, 'hex')
  return bytes
}

function unpack(bytes: Buffer): NamedSubject {
  const workspaceId = bytes.readUIntBE(0, 5)
  if (bytes.length === MESSAGE_BYTES)
    return {
      workspaceId,
      messageId: toUuid(bytes.toString('hex', 5, 21)),
      position: bytes.readUInt8(21),
    }
  const campaign = { timePart: bytes.toString('hex', 5, 11), last: bytes.toString('hex', 11, 13) }
  return { workspaceId, campaign, subscriberId: toUuid(bytes.toString('hex', 13, 29)) }
}

const hexOf = (uuid: string): string => uuid.replaceAll('-', '')

const toUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
