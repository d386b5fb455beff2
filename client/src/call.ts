/**
 * One call over HTTP: repeated where that can do nothing twice, and answered with the body or
 * thrown as a `FacteurError`.
 */
import { readRefusal, type FacteurError } from './facteur-error.ts'

export interface CallOptions {
  /** Ends the call, and the waiting between its attempts. */
  signal?: AbortSignal | undefined
  /**
   * Called with the status and headers of a successful answer, such as `Idempotent-Replay`, before
   * the call returns.
   */
  onAnswer?: ((answer: Answer) => void) | undefined
}

export interface SendOptions extends CallOptions {
  /**
   * Unique per send; the same key and content again send nothing more. Absent: one is made for this
   * call.
   */
  idempotencyKey?: string | undefined
}

export interface Answer {
  status: number
  headers: Headers
  /** Names the call in the service's logs. */
  requestId: string | undefined
}

/** A call as it goes out. */
export interface Outgoing {
  url: string
  method: string
  headers: Record<string, string>
  body: string | undefined
  /** Whether a second one, after an answer that was lost, does nothing twice. */
  repeatable: boolean
}

export interface Sender {
  fetch: typeof fetch
  retries: number
}

/** Longest pause that is waited for, in seconds: a minute is what the request rate can ask for. */
const pauseMaxSeconds = 60

export async function call(
  sender: Sender,
  outgoing: Outgoing,
  options: CallOptions,
): Promise<unknown> {
  for (let left = sender.retries; ; left--) {
    const outcome = await attempt(sender, outgoing, options)
    if ('body' in outcome) return outcome.body
    const pauseMs = left > 0 ? pauseBefore(outcome, outgoing, sender.retries - left) : null
    if (pauseMs === null) throw outcome.refusal ?? outcome.lost
    await pause(pauseMs, options.signal)
  }
}

type Outcome = { body: unknown } | Failure
/** A refusal by the service, or no answer. */
type Failure = { refusal: FacteurError; lost?: never } | { refusal?: never; lost: unknown }

async function attempt(
  sender: Sender,
  outgoing: Outgoing,
  { signal, onAnswer }: CallOptions,
): Promise<Outcome> {
  signal?.throwIfAborted()
  const { url, method, headers, body } = outgoing
  const request = {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  }
  let answer: Response
  let text: string
  try {
    answer = await sender.fetch(url, request)
    text = await answer.text()
  } catch (error) {
    signal?.throwIfAborted()
    return { lost: error }
  }
  const read = answer.ok ? parse(text) : undefined
  if (read === undefined) return { refusal: readRefusal(answer, text) }
  onAnswer?.({
    status: answer.status,
    headers: answer.headers,
    requestId: answer.headers.get('x-request-id') ?? undefined,
  })
  return { body: read }
}

/**
 * Undefined for what is no JSON: a page of something in between, or an address that is not the
 * service's.
 */
function parse(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text)
    return read
  } catch {
    return undefined
  }
}

/**
 * How long to wait before the next attempt; null: there is none. A call over the request rate has
 * done nothing and waits for `Retry-After`. One that was lost, or failed on the service's side, is
 * repeated when it is `repeatable`. `send_failed` is the provider's word on the message: it would
 * not change.
 */
function pauseBefore(
  { refusal }: Failure,
  { repeatable }: Outgoing,
  repeats: number,
): number | null {
  const seconds = refusal?.retryAfter
  if (seconds !== undefined && seconds > pauseMaxSeconds) return null
  const mayPass = refusal === undefined || (refusal.status >= 500 && refusal.code !== 'send_failed')
  if (refusal?.status === 429 || (mayPass && repeatable))
    return seconds === undefined ? 500 * 2 ** repeats * (0.5 + Math.random()) : seconds * 1000
  return null
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

const reasonOf = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error
    ? signal.reason
    : new Error('The call was ended', { cause: signal?.reason })
