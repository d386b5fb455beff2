/** A client of the API with one typed method for each operation, derived from the table of operations. */
import type { ErrorBody, ErrorCode, ErrorDetails } from './errors.ts'
import { operationIds, operations } from './operations.ts'
import type { AnswerOf, InputOf, Operation, OperationId } from './operations.ts'

export interface ClientOptions {
  /** Where the service is reached, without a slash at the end. */
  baseUrl: string
  apiKey: string
  /** Default: the global one. */
  fetch?: typeof fetch
}

/** The operations that an API key may call. */
export type ApiOperationId = { [Id in OperationId]: (typeof operations)[Id]['door'] extends 'api' ? Id : never }[OperationId]

/** What a call gives: only the parts the operation reads, and optional where nothing in them is required. */
export type CallOf<Id extends OperationId> = Part<'params', InputOf<Id>['params']> &
  Part<'query', InputOf<Id>['query']> &
  Part<'headers', InputOf<Id>['headers']> &
  (InputOf<Id>['body'] extends undefined ? unknown : { body: InputOf<Id>['body'] })

type Part<Name extends string, Value> = keyof Value extends never
  ? unknown
  : Partial<Value> extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value }

/** One method for each operation. It answers the body and the headers that the operation names. */
export type Client = {
  [Id in ApiOperationId]: (
    ...input: Partial<CallOf<Id>> extends CallOf<Id> ? [input?: CallOf<Id>] : [input: CallOf<Id>]
  ) => Promise<AnswerOf<Id>>
}

/** A refusal by the service. */
export class ClientError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** Seconds after which the same call may pass. */
  readonly retryAfter: number | undefined

  constructor(answer: Response, { error }: ErrorBody) {
    super(error.message)
    this.name = 'ClientError'
    this.status = answer.status
    this.code = error.code
    this.details = error.details
    this.requestId = answer.headers.get('x-request-id') ?? undefined
    const seconds = answer.headers.get('retry-after')
    this.retryAfter = seconds === null ? undefined : Number(seconds)
  }
}

/** A client for one key. Each method throws a `ClientError` on a refusal, and what `fetch` throws when nothing answers. */
export function createClient(options: ClientOptions): Client {
  const methods = operationIds.map((id) => [id, (input: AnyInput = {}) => call(options, operations[id], input)])
  return typed(Object.fromEntries(methods))
}

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  body?: unknown
}

async function call(
  { baseUrl, apiKey, fetch: send = fetch }: ClientOptions,
  operation: Operation,
  input: AnyInput,
): Promise<unknown> {
  const answer = await send(baseUrl + pathOf(operation, input), {
    method: operation.method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(operation.body && { 'content-type': 'application/json' }),
      ...input.headers,
    },
    ...(operation.body && { body: JSON.stringify(input.body) }),
  })
  if (!answer.ok) throw new ClientError(answer, await errorBodyOf(answer))
  return { body: await answer.json(), headers: headersOf(operation, answer) }
}

function pathOf({ path }: Operation, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value))
  return asked.size > 0 ? `${filled}?${asked.toString()}` : filled
}

/** The error as the service wrote it; what comes from something in between is an `internal_error`. */
async function errorBodyOf(answer: Response): Promise<ErrorBody> {
  const text = await answer.text()
  try {
    const body: ErrorBody = JSON.parse(text)
    if (typeof body.error.code === 'string') return body
  } catch {
    // Not ours: told below.
  }
  const message = `${answer.status} ${answer.statusText}`
  const code = 'internal_error'
  return { error: { code, message, details: { body: text.slice(0, 500) } }, statusCode: answer.status, message, name: code }
}

function headersOf(operation: Operation, answer: Response): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of Object.keys(operation.answer.headers ?? {})) {
    const value = answer.headers.get(name)
    if (value !== null) headers[name] = value
  }
  return headers
}

/** The methods under their types: each id's method sends that id's operation, whose answer the service holds to the same schema. */
const typed = (methods: Record<string, (input?: AnyInput) => Promise<unknown>>): Client => methods as unknown as Client
