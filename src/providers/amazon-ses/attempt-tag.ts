/**
 * The tag that each message carries through Amazon SES: its recipient and its attempt, signed by
 * us. Notices bring it back, and it alone identifies their recipient.
 *
 * SES gives a message its own identifier only with the answer, which may be lost; the tag is known
 * before the hand-off. A recipient never sees it: SES keeps tags out of the message.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

export const attemptTagName = 'facteur-attempt'
/** Of the key that signs tags (`secrets.derive`). */
export const attemptTagPurpose = 'amazon-ses tag'

/** The recipient and attempt of a tag. */
export interface AttemptTag {
  workspaceId: number
  target: { messageId: string; position: number } | { campaignId: string; subscriberId: string }
  attempt: number
}

export type AttemptTags = ReturnType<typeof createAttemptTags>

/** A tag holds ASCII letters, digits, `_` and `-`, at most 256 of them. */
const shape = /^(\d{1,15})_([ms])_([0-9a-f-]{36})_([0-9a-f-]{36}|\d{1,3})_(\d{1,6})_([\w-]{22})$/

/** 128 bits. */
const SIGNATURE_BYTES = 16

/** `key` signs tags and nothing else. */
export function createAttemptTags(key: Buffer) {
  const secret = createSecretKey(key)
  const sign = (text: string): string =>
    createHmac('sha256', secret)
      .update(text)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
      .toString('base64url')
  return {
    /**
     * `reference` as in the envelope: `<message id>/<position>` or, in bulk, `<campaign
     * id>/<subscriber id>`.
     */
    make(envelope: {
      workspaceId: number
      reference: string
      attempt: number
      bulk?: boolean
    }): string {
      const { workspaceId, reference, attempt, bulk = false } = envelope
      const text = [workspaceId, bulk ? 's' : 'm', ...reference.split('/'), attempt].join('_')
      return `${text}_${sign(text)}`
    },
    /** Null when it is not one of ours. */
    read(tag: string): AttemptTag | null {
      const [, workspaceId = '', kind, first = '', second = '', attempt = '', signature = ''] =
        shape.exec(tag) ?? []
      if (kind === undefined) return null
      // Compared as text: several texts encode the same bytes, and only one of them is ours.
      const signed = sign(tag.slice(0, -signature.length - 1))
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signed))) return null
      const target =
        kind === 's'
          ? { campaignId: first, subscriberId: second }
          : { messageId: first, position: Number(second) }
      return { workspaceId: Number(workspaceId), target, attempt: Number(attempt) }
    },
  }
}
