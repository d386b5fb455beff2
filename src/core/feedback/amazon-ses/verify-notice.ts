/**
 * Verifies that Amazon SNS signed a notice for a topic that an operator listed (security: SES
 * notices).
 */
import { verify } from 'node:crypto'
import type { FeedbackSource } from '../../../providers/providers.ts'
import type { FindCertificate } from './signing-certificates.ts'
import type { SnsEnvelope } from './sns-envelope.ts'

export type Verified =
  /** The accounts that list its topic. */
  | { kind: 'genuine'; sources: FeedbackSource[] }
  | { kind: 'refused'; why: string }
  /** It could not be verified now. */
  | { kind: 'later'; why: string }

/** SNS signs with SHA-1 unless the topic is configured otherwise; both are RSA (PKCS #1 v1.5). */
const digests: Record<string, string> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }

/** Checks the cheap rules first: nothing is fetched for an unlisted topic. */
export async function verifyNotice(
  envelope: SnsEnvelope,
  { listed, findCertificate }: { listed: FeedbackSource[]; findCertificate: FindCertificate },
): Promise<Verified> {
  const sources = listed.filter(({ settings }) => settings.topicArns.includes(envelope.topicArn))
  if (sources.length === 0) return refused('its topic is on no list')
  const digest = digests[envelope.signatureVersion]
  if (digest === undefined) return refused('its signature is of an unknown version')
  const result = await findCertificate(envelope.signingCertUrl, envelope.topicArn)
  if (result.kind === 'away') return { kind: 'later', why: result.why }
  if (result.kind === 'foreign') return refused(result.why)
  const { certificate } = result
  const { sentAt } = envelope
  if (sentAt < certificate.validFromDate || sentAt > certificate.validToDate)
    return refused('its certificate was not valid when it was signed')
  if (certificate.publicKey.asymmetricKeyType !== 'rsa')
    return refused('its certificate has no RSA key')
  const signature = Buffer.from(envelope.signature, 'base64')
  if (!verify(digest, Buffer.from(envelope.signedText), certificate.publicKey, signature))
    return refused('its signature does not match')
  return { kind: 'genuine', sources }
}

const refused = (why: string): Verified => ({ kind: 'refused', why })
