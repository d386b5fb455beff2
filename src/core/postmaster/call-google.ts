/**
 * Makes a call to Google by the outbound client, and reads its JSON answer or, in one line, why
 * there is none.
 */
import { jsonFields, parseJson, textOf } from '../../ground/read-json.ts'
import type { Outbound } from '../../ground/outbound/create-outbound.ts'
import type { OutboundRequest } from '../../ground/outbound/outbound-call.ts'

export type GoogleAnswer =
  | { kind: 'answered'; json: unknown }
  /** `status`: of Google. Null if there was no answer. */
  | { kind: 'failed'; status: number | null; why: string }

const withinMs = 15_000
/** A page of statistics has 200 lines at most. */
const answerBytesMax = 1024 * 1024
/** Characters of Google's reason that are stored and logged. */
const reasonMax = 300

type Call = Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body' | 'signal'>

export async function callGoogle(
  { outbound }: { outbound: Pick<Outbound, 'send'> },
  call: Call,
): Promise<GoogleAnswer> {
  const answer = await outbound.send({ ...call, withinMs, readMax: answerBytesMax })
  const { host } = call.url
  if (answer.kind === 'refused')
    return {
      kind: 'failed',
      status: null,
      why: `${host} has an address that is not called (${answer.reason})`,
    }
  if (answer.kind === 'failed')
    return { kind: 'failed', status: null, why: `${host} did not answer (${answer.reason})` }
  const { status, truncated } = answer
  const json = parseJson(answer.body.toString('utf8'))
  if (status !== 200)
    return { kind: 'failed', status, why: `${host} answered ${status}${reasonOf(json)}` }
  if (truncated || json === null)
    return { kind: 'failed', status, why: `${host} answered what is no JSON` }
  return { kind: 'answered', json }
}

/** `{error: {message}}` of the API, `{error, error_description}` of tokens (RFC 6749 5.2). */
function reasonOf(json: unknown): string {
  const { error, error_description } = jsonFields(json)
  const words = textOf(error_description) ?? textOf(jsonFields(error).message) ?? textOf(error)
  // Without control and zero-width characters: the text is shown in terminals and on pages.
  const shown = (words ?? '').replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, reasonMax)
  return shown === '' ? '' : `: ${shown}`
}
