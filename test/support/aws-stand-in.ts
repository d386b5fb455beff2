/**
 * A stand-in for Amazon SES and SQS: an HTTP server that verifies each signature by others' code,
 * and answers as a test sets it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import aws4 from 'aws4'

export const testAccount = {
  region: 'eu-west-1',
  credentials: {
    accessKeyId: 'AKIDEXAMPLE0000000',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  },
}

/** A mail as SES received it. */
export interface SentBySes {
  to: string[]
  raw: Buffer
  tags: Record<string, string>
  configurationSet: string | null
  accessKeyId: string
  /** Of a temporary key. Null if none was sent. */
  sessionToken: string | null
  messageId: string
}

/** The answer to a mail that SES does not accept, or not before `after`. */
export type ScriptedAnswer =
  | { status: number; type?: string; body?: unknown; after?: Promise<void> }
  /** No answer ever. */
  | 'hang'
  /** The connection is cut once the request was read. */
  | 'cut'

export interface AwsStandIn {
  url: string
  sent: SentBySes[]
  /** The mail that came last, taken or not. */
  last: SentBySes | null
  /** Requests that were read whole, refused ones included. */
  callCount: number
  /** Why signatures were wrong, if any were. */
  forged: string[]
  /** Undefined means taken. */
  answer(script: ((mail: SentBySes) => ScriptedAnswer | undefined) | undefined): void
  /** The answer of GET /v2/email/account. */
  account: Record<string, unknown>
  /** The messages in the queue, by receipt. */
  queue: Map<string, { id: string; body: string; hiddenUntilMs: number }>
  enqueue(body: string): string
  /** Receipts that were deleted. */
  deleted: string[]
  close(): Promise<void>
}

export async function startAwsStandIn(): Promise<AwsStandIn> {
  let script: ((mail: SentBySes) => ScriptedAnswer | undefined) | undefined
  let counted = 0
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  const standIn: AwsStandIn = {
    url: '',
    sent: [],
    last: null,
    callCount: 0,
    forged: [],
    answer: (next) => (script = next),
    account: {
      ...{ SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY' },
      SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 12 },
    },
    queue: new Map(),
    enqueue(body) {
      const receipt = `receipt-${++counted}`
      standIn.queue.set(receipt, { id: `queued-${counted}`, body, hiddenUntilMs: 0 })
      return receipt
    },
    deleted: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await read(request)
    standIn.callCount++
    const wrong = whyForged(request, body)
    if (wrong !== null) {
      standIn.forged.push(wrong)
      return say(response, {
        status: 403,
        type: 'InvalidSignatureException',
        body: { message: wrong },
      })
    }
    if (request.url === '/v2/email/account')
      return say(response, { status: 200, body: standIn.account })
    if (request.url === '/v2/email/outbound-emails') return take(request, response, body)
    if (request.url === '/') return work(request, response, body)
    say(response, { status: 404, type: 'NotFoundException' })
  }

  const take = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const mail = {
      ...readMail(body, keyOf(request), `0102${String(++counted).padStart(12, '0')}`),
      sessionToken: tokenOf(request),
    }
    standIn.last = mail
    const scripted = script?.(mail)
    if (scripted === 'hang') return
    if (scripted === 'cut') return void request.socket.destroy()
    if (scripted && scripted.status !== 200) return say(response, scripted)
    standIn.sent.push(mail)
    say(response, scripted ?? { status: 200, body: { MessageId: mail.messageId } }, mail.messageId)
  }

  const work = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const requested = JSON.parse(body.toString()) as Record<string, unknown>
    if (request.headers['x-amz-target'] === 'AmazonSQS.DeleteMessageBatch') {
      const entries = requested.Entries as { Id: string; ReceiptHandle: string }[]
      for (const { ReceiptHandle } of entries)
        if (standIn.queue.delete(ReceiptHandle)) standIn.deleted.push(ReceiptHandle)
      return say(response, {
        status: 200,
        body: { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] },
      })
    }
    if (request.headers['x-amz-target'] === 'AmazonSQS.GetQueueAttributes')
      return say(response, {
        status: 200,
        body: { Attributes: { ApproximateNumberOfMessages: String(standIn.queue.size) } },
      })
    const receive = (): void => {
      const now = performance.now()
      const messages = [...standIn.queue]
        .filter(([, { hiddenUntilMs }]) => hiddenUntilMs <= now)
        .slice(0, 10)
      if (messages.length === 0 && !response.destroyed) return void setTimeout(receive, 20)
      for (const [, message] of messages)
        message.hiddenUntilMs = now + Number(requested.VisibilityTimeout) * 1000
      const Messages = messages.map(([ReceiptHandle, { id, body: Body }]) => ({
        MessageId: id,
        ReceiptHandle,
        Body,
      }))
      say(response, { status: 200, body: { Messages } })
    }
    receive()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  standIn.url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`
  return standIn
}

function say(
  response: ServerResponse,
  answer: Exclude<ScriptedAnswer, string>,
  messageId = '',
): void {
  const { status, type, body = status === 200 ? { MessageId: messageId } : {}, after } = answer
  void Promise.resolve(after).then(() => {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(type && { 'x-amzn-errortype': `${type}:` }),
    })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const keyOf = (request: IncomingMessage): string =>
  /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? ''

const tokenOf = ({ headers }: IncomingMessage): string | null => {
  const token = headers['x-amz-security-token']
  return typeof token === 'string' ? token : null
}

/** Signs the same request again by aws4 with the account's key, and compares. */
function whyForged(request: IncomingMessage, body: Buffer): string | null {
  const authorization = request.headers.authorization ?? ''
  const [, region = '', service = ''] =
    /Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(authorization) ?? []
  const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';')
  if (!names.includes('host') || !names.includes('x-amz-date'))
    return 'host and x-amz-date have to be signed'
  if (tokenOf(request) !== null && !names.includes('x-amz-security-token'))
    return 'the session token has to be signed'
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
  const sentAt = (headers['x-amz-date'] ?? '').replace(
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  if (!(Math.abs(Date.parse(sentAt) - Date.now()) < 300_000))
    return 'the signature is not of this time'
  const signer = new aws4.RequestSigner(
    {
      ...{ service, region, method: request.method ?? '', path: request.url ?? '', headers },
      ...(body.length > 0 && { body }),
      doNotModifyHeaders: true,
    },
    { ...testAccount.credentials, accessKeyId: keyOf(request) },
  )
  // Left to itself, it takes the time of now and not the request's.
  const again = Object.assign(signer, { datetime: headers['x-amz-date'] }).sign()
  const expected = String(again.headers?.Authorization)
  const signature = (text: string): string | undefined => /Signature=(\w+)/.exec(text)?.[1]
  return signature(expected) === signature(authorization)
    ? null
    : `the signature does not match: ${expected} and not ${authorization}`
}

function readMail(
  body: Buffer,
  accessKeyId: string,
  messageId: string,
): Omit<SentBySes, 'sessionToken'> {
  const fields = JSON.parse(body.toString()) as {
    Destination: { ToAddresses: string[] }
    Content: { Raw: { Data: string } }
    EmailTags?: { Name: string; Value: string }[]
    ConfigurationSetName?: string
  }
  return {
    ...{ accessKeyId, messageId, to: fields.Destination.ToAddresses },
    raw: Buffer.from(fields.Content.Raw.Data, 'base64'),
    tags: Object.fromEntries((fields.EmailTags ?? []).map(({ Name, Value }) => [Name, Value])),
    configurationSet: fields.ConfigurationSetName ?? null,
  }
}
