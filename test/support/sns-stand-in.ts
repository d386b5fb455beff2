/**
 * Stands in for Amazon SNS: signs notices as it does, and serves its certificate and its
 * confirmations on a real server.
 */
import { randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { makeCertificate, type MadeCertificate } from './make-certificate.ts'

export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:ses-news'
export const snsHost = 'sns.eu-west-1.amazonaws.com'
export const certificatePath = `/SimpleNotificationService-${'0a'.repeat(16)}.pem`

/** A notice as SNS posts it; a test changes what it likes, before or after it is signed. */
export type Notice = Record<string, string>

export interface SnsStandIn {
  /** Where its host leads. */
  url: string
  /** Paths that were asked for. */
  requests: string[]
  /** The answers of its host by path, beside the certificate. */
  answers: Map<string, { status: number; body: string }>
  notice(message: unknown, changes?: Partial<Notice>): Notice
  confirmation(changes?: Partial<Notice>): Notice
  /** Signs again, after a change that SNS would have signed. */
  signed(notice: Notice, by?: MadeCertificate): Notice
  close(): Promise<void>
}

const inOrder = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  confirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
}

export async function startSnsStandIn(): Promise<SnsStandIn> {
  const own = makeCertificate()
  const answers: SnsStandIn['answers'] = new Map([
    [certificatePath, { status: 200, body: own.pem }],
  ])
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const { status, body } = answers.get(path) ??
      answers.get(path.split('?')[0] ?? '') ?? { status: 404, body: '' }
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()

  const signed = (notice: Notice, by = own): Notice => {
    const names = notice.Type === 'Notification' ? inOrder.Notification : inOrder.confirmation
    const text = names
      .flatMap((name) => (notice[name] === undefined ? [] : [`${name}\n${notice[name]}\n`]))
      .join('')
    const digest = notice.SignatureVersion === '1' ? 'sha1' : 'sha256'
    return {
      ...notice,
      Signature: sign(digest, Buffer.from(text), by.privateKey).toString('base64'),
    }
  }
  const base = (): Notice => ({
    ...{
      MessageId: randomUUID(),
      TopicArn: topicArn,
      Timestamp: new Date().toISOString(),
      SignatureVersion: '2',
    },
    SigningCertURL: `https://${snsHost}${certificatePath}`,
  })
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    ...{ requests, answers, signed },
    notice: (message, changes = {}) =>
      signed({
        Type: 'Notification',
        ...base(),
        Message: JSON.stringify(message),
        ...whole(changes),
      }),
    confirmation: (changes = {}) => {
      const Token = 'a1b2'.repeat(20)
      const query = `Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${Token}`
      const confirmed = {
        Token,
        SubscribeURL: `https://${snsHost}/?${query}`,
        Message: 'You have chosen to subscribe',
      }
      return signed({
        Type: 'SubscriptionConfirmation',
        ...base(),
        ...confirmed,
        ...whole(changes),
      })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const whole = (changes: Partial<Notice>): Notice =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
