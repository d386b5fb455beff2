/**
 * Parses an Amazon SNS envelope and builds the text that its signature covers (SNS Developer Guide,
 * "Verifying the signatures").
 */
import { jsonFields, textOf } from '../../../ground/read-json.ts'

export interface SnsEnvelope {
  type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation'
  messageId: string
  topicArn: string
  message: string
  sentAt: Date
  signatureVersion: string
  signature: string
  signingCertUrl: string
  /** The address that confirms a subscription; null for a notification. */
  subscribeUrl: string | null
  token: string | null
  signedText: string
}

/** In the order in which they are signed; Subject only if present. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
}

/** Returns null when it is not an SNS envelope. */
export function readSnsEnvelope(json: unknown): SnsEnvelope | null {
  const fields = jsonFields(json)
  const type = textOf(fields.Type)
  if (
    type !== 'Notification' &&
    type !== 'SubscriptionConfirmation' &&
    type !== 'UnsubscribeConfirmation'
  )
    return null
  const [messageId, topicArn, message] = [
    textOf(fields.MessageId),
    textOf(fields.TopicArn),
    fields.Message,
  ]
  const [signature, signatureVersion] = [textOf(fields.Signature), textOf(fields.SignatureVersion)]
  const signingCertUrl = textOf(fields.SigningCertURL)
  const sentAt = new Date(textOf(fields.Timestamp) ?? Number.NaN)
  if (
    messageId === null ||
    messageId.length > 200 ||
    topicArn === null ||
    typeof message !== 'string'
  )
    return null
  if (
    signature === null ||
    signatureVersion === null ||
    signingCertUrl === null ||
    Number.isNaN(sentAt.getTime())
  )
    return null
  const signedText = signedFields[type]
    .flatMap((name) => (typeof fields[name] === 'string' ? [name, fields[name]] : []))
    .map((line) => `${line}\n`)
    .join('')
  return {
    ...{
      type,
      messageId,
      topicArn,
      message,
      sentAt,
      signatureVersion,
      signature,
      signingCertUrl,
      signedText,
    },
    ...{ subscribeUrl: textOf(fields.SubscribeURL), token: textOf(fields.Token) },
  }
}
