/**
 * Calls the API as a stranger would, over HTTP, and holds every answer to what is promised of all
 * answers.
 */
import assert from 'node:assert/strict'
import { errorKinds, type ErrorCode } from '../../src/contract/errors.ts'
import { violationsOf } from './answer-referee.ts'
import { at } from './json.ts'

export interface Requested {
  key?: string | undefined
  /** Written as JSON. */
  body?: unknown
  /** The body as it is, instead of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>
  /** Content type; null sends none. Default: application/json. */
  type?: string | null
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

/** One call, such as `POST /api/v1/emails`. */
export async function ask(
  baseUrl: string,
  line: string,
  { key, body, raw, type = 'application/json', headers }: Requested = {},
): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ')
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(content !== undefined && type !== null && { 'content-type': type }),
      ...headers,
    },
    // Bytes have no content type of their own; fetch would give a text one.
    ...(content !== undefined && {
      body: typeof content === 'string' ? Buffer.from(content) : content,
    }),
  })
  const text = await response.text()
  const answer = { status: response.status, headers: response.headers, body: readJson(text, line) }
  checkPromises(answer, text)
  assert.deepEqual(violationsOf(line, answer), [], JSON.stringify(answer.body).slice(0, 2000))
  return answer
}

function readJson(text: string, line: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    assert.fail(`${line} answered something that is not JSON: ${text.slice(0, 200)}`)
  }
}

/** The headers of every answer (spec: Errors, Limits). */
function checkPromises({ status, headers, body }: Answer, text: string): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json(;|$)/)
  assert.match(headers.get('x-request-id') ?? '', /^\S{8,}$/, 'X-Request-Id')
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(headers.get(name) ?? '', /^\d+$/, name)
  }
  checkRateHeaders(headers)
  if (status === 401)
    assert.match(headers.get('www-authenticate') ?? '', /^(?:Bearer|Cookie) realm="Facteur"/)
  if (status < 400) return
  const code = at(body, 'error', 'code')
  assert.ok(
    typeof code === 'string' && Object.hasOwn(errorKinds, code),
    `unknown code ${String(code)}`,
  )
  assert.deepEqual(Object.keys(Object(body)).toSorted(), ['error', 'message', 'name', 'statusCode'])
  assert.deepEqual(Object.keys(Object(at(body, 'error'))).toSorted(), [
    'code',
    'details',
    'message',
  ])
  assert.equal(at(body, 'statusCode'), status)
  assert.equal(at(body, 'name'), code)
  assert.equal(at(body, 'message'), at(body, 'error', 'message'))
  assert.equal(typeof at(body, 'error', 'details'), 'object')
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.doesNotMatch(text, /node_modules|\.ts:\d|\n\s+at /, 'a stack trace')
}

/**
 * The rate in its three spellings: as specified, as SDKs read it, and as
 * draft-ietf-httpapi-ratelimit-headers-11 has it.
 */
function checkRateHeaders(headers: Headers): void {
  const read = (name: string): string => headers.get(name) ?? assert.fail(`no ${name}`)
  const [limit, remaining, seconds] = [
    read('ratelimit-limit'),
    read('ratelimit-remaining'),
    read('ratelimit-reset'),
  ]
  assert.deepEqual([limit, remaining], [read('x-ratelimit-limit'), read('x-ratelimit-remaining')])
  assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60, `ratelimit-reset: ${seconds}`)
  assert.equal(read('ratelimit-policy'), `"minute";q=${limit};w=60`)
  assert.equal(read('ratelimit'), `"minute";r=${remaining};t=${seconds}`)
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null && remaining === '0')
    assert.ok(Number(retryAfter) <= 60, `retry-after: ${retryAfter}`)
}

/** The answer refuses with this code, and its details hold at least these. */
export function assertRefused(
  { status, body }: Answer,
  code: ErrorCode,
  details: object = {},
): void {
  assert.equal(at(body, 'error', 'code'), code, JSON.stringify(body))
  assert.equal(status, errorKinds[code].status)
  assert.partialDeepStrictEqual(at(body, 'error', 'details'), details)
}

/** The answer succeeds with this status, and its body holds at least this. */
export function assertAnswered(answer: Answer, status: number, body: object = {}): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.partialDeepStrictEqual(answer.body, body)
}

/** A text at a place in the answer's body. */
export function textAt({ body }: Answer, ...steps: string[]): string {
  const text = at(body, ...steps)
  assert.ok(typeof text === 'string', `${steps.join('.')} is no text: ${JSON.stringify(body)}`)
  return text
}
