/**
 * Sends one signed JSON call to a service of AWS; answers the response, or how far the call went.
 */
import type { Clock } from '../../ground/clock.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import { jsonFields, parseJson, textOf } from '../../ground/read-json.ts'
import { signRequest, type AwsCredentials } from './sign-request.ts'

/** The credentials and address of a call. */
export interface AwsAccount {
  region: string
  credentials: AwsCredentials
}

export interface AwsCall {
  method: 'GET' | 'POST'
  url: URL
  /** The service's signing name. */
  service: 'ses' | 'sqs'
  headers: Record<string, string>
  body: string
  signal: AbortSignal
  withinMs: number
  /** Called right before the request is written. False if it is not written. Absent if it is. */
  mayWrite?: () => boolean
}

export type AwsAnswer =
  /**
   * `type`: the name of the error, null where AWS names none; `message`: its text. `json`: the
   * body; null where it is no JSON.
   */
  | { kind: 'answered'; status: number; type: string | null; message: string; json: unknown }
  /** `written`: whether the request may have reached the service. */
  | { kind: 'failed'; reason: string; written: boolean }

export interface AwsPorts {
  outbound: Pick<Outbound, 'send'>
  clock: Clock
}

/** Answers of AWS are short but for messages of a queue, ten of up to 256 KB. */
const answerBytesMax = 4 * 1024 * 1024

export async function callAws(
  { outbound, clock }: AwsPorts,
  account: AwsAccount,
  call: AwsCall,
): Promise<AwsAnswer> {
  const { method, url, service, body, signal, withinMs, mayWrite } = call
  const { region, credentials } = account
  const signed = signRequest(
    { method, url, headers: call.headers, body, region, service, at: clock.now() },
    credentials,
  )
  const answer = await outbound.send({
    ...{ method, url, signal, withinMs, mayWrite, headers: signed, readMax: answerBytesMax },
    ...(method === 'POST' && { body }),
  })
  if (answer.kind === 'failed')
    return { kind: 'failed', reason: answer.reason, written: answer.written }
  if (answer.kind === 'refused')
    return {
      kind: 'failed',
      reason: `the address is one that is not called (${answer.reason})`,
      written: false,
    }
  const json = parseJson(answer.body.toString())
  return {
    kind: 'answered',
    status: answer.status,
    ...errorOf(answer.headers['x-amzn-errortype'], json),
    json,
  }
}

/**
 * `MessageRejected:http://internal…` in a header, or `com.amazonaws.sqs#QueueDoesNotExist` in the
 * body.
 */
function errorOf(
  header: string | string[] | undefined,
  json: unknown,
): { type: string | null; message: string } {
  const fields = jsonFields(json)
  const named =
    (typeof header === 'string' ? header.split(':')[0] : null) ??
    textOf(fields['__type']) ??
    textOf(fields.code)
  const message = textOf(fields.message) ?? textOf(fields.Message) ?? ''
  return { type: named?.split('#').at(-1) ?? null, message }
}
