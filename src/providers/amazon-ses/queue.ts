/**
 * A queue of Amazon SQS: receives waiting messages, and deletes each once it was handled (SQS API
 * Reference, JSON protocol).
 */
import { callAws, type AwsAccount, type AwsAnswer, type AwsPorts } from './call-aws.ts'
import { jsonFields, jsonList, textOf } from '../../ground/read-json.ts'

export interface Queue extends AwsAccount {
  queueUrl: string
}

export interface QueuedMessage {
  id: string
  /** Names this receipt of it; another receipt has another. */
  receipt: string
  body: string
}

export type Received =
  | { kind: 'received'; messages: QueuedMessage[] }
  | { kind: 'failed'; why: string }

/**
 * Long polling waits this long for a message, and received messages stay hidden from other
 * receivers as long.
 */
const waitSeconds = 20
const hiddenSeconds = 120
const atOnce = 10

/** Answers up to ten messages; none when none came within the wait. */
export async function receiveMessages(
  ports: AwsPorts,
  queue: Queue,
  signal: AbortSignal,
): Promise<Received> {
  const requested = {
    MaxNumberOfMessages: atOnce,
    WaitTimeSeconds: waitSeconds,
    VisibilityTimeout: hiddenSeconds,
  }
  const answer = await call(ports, queue, 'ReceiveMessage', requested, signal)
  if (answer.kind === 'failed' || answer.status !== 200)
    return { kind: 'failed', why: whyOf(answer) }
  const messages = jsonList(jsonFields(answer.json).Messages).flatMap((message) => {
    const { MessageId, ReceiptHandle, Body } = jsonFields(message)
    const [id, receipt] = [textOf(MessageId), textOf(ReceiptHandle)]
    return id !== null && receipt !== null && typeof Body === 'string'
      ? [{ id, receipt, body: Body }]
      : []
  })
  return { kind: 'received', messages }
}

/**
 * Answers why it failed, null when it did not. A message that is not deleted comes again, and is
 * recognised then.
 */
export async function deleteMessages(
  ports: AwsPorts,
  queue: Queue,
  messages: QueuedMessage[],
  signal: AbortSignal,
): Promise<string | null> {
  if (messages.length === 0) return null
  const Entries = messages.map(({ receipt }, index) => ({
    Id: String(index),
    ReceiptHandle: receipt,
  }))
  const answer = await call(ports, queue, 'DeleteMessageBatch', { Entries }, signal)
  if (answer.kind === 'failed' || answer.status !== 200) return whyOf(answer)
  const failed = jsonList(jsonFields(answer.json).Failed)
  return failed.length === 0
    ? null
    : `${failed.length} were not deleted (${textOf(jsonFields(failed[0]).Code) ?? 'no reason given'})`
}

/**
 * A topic may fill a queue of another region: the region is in the queue's host name, otherwise the
 * account's own.
 */
export const queueRegion = ({ queueUrl, region }: Pick<Queue, 'queueUrl' | 'region'>): string =>
  /(?:^|\.)sqs\.([a-z]{2}(?:-[a-z]+)+-\d+)\./.exec(new URL(queueUrl).hostname)?.[1] ?? region

function call(
  ports: AwsPorts,
  queue: Queue,
  action: string,
  input: object,
  signal: AbortSignal,
): Promise<AwsAnswer> {
  return callAws(
    ports,
    { ...queue, region: queueRegion(queue) },
    {
      ...{
        method: 'POST',
        service: 'sqs',
        url: new URL('/', queue.queueUrl),
        signal,
        withinMs: (waitSeconds + 20) * 1_000,
      },
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
      },
      body: JSON.stringify({ QueueUrl: queue.queueUrl, ...input }),
    },
  )
}

/** The failure in one line, for the log and the doctor. */
export const whyOf = (answer: AwsAnswer): string =>
  answer.kind === 'failed'
    ? answer.reason
    : [answer.type ?? `HTTP ${answer.status}`, answer.message].filter(Boolean).join(': ')

/** About how many messages wait; a text says why the number is unknown. */
export async function countWaiting(
  ports: AwsPorts,
  queue: Queue,
  signal: AbortSignal,
): Promise<number | string> {
  const name = 'ApproximateNumberOfMessages'
  const answer = await call(ports, queue, 'GetQueueAttributes', { AttributeNames: [name] }, signal)
  if (answer.kind === 'failed' || answer.status !== 200) return whyOf(answer)
  return Number(jsonFields(jsonFields(answer.json).Attributes)[name] ?? 0)
}
