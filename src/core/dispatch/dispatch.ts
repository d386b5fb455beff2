/** The one way into the verbs, for REST and MCP alike: key → scope → rate → shape → verb → answer. */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, errorBody, errorKinds } from '../../contract/errors.ts'
import type { ErrorCode, Language } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { operations } from '../../contract/operations.ts'
import type { AnswerOf, Operation, OperationId } from '../../contract/operations.ts'
import { noteKeyUse } from '../../db/api-keys.ts'
import type { CallContext, Context, Service } from '../context.ts'
import { CallerLeft } from './caller-left.ts'
import type { CountRequest } from './count-request.ts'
import type { CountedRequest, Rate } from './places-ahead.ts'
import { handlers } from './handlers.ts'
import { judgeShape } from './judge-shape.ts'
import { readCredentials } from './read-key.ts'

/** One call as a door hands it in. */
export interface Call {
  /** Null: no operation lives at this address. */
  operation: OperationId | null
  params: Record<string, string>
  query: Record<string, string>
  /** By lower-case names, repeated ones joined as node:http does. */
  headers: IncomingHttpHeaders
  /** Reads and parses the body, when its turn comes; throws ApiError for what is not JSON, CallerLeft when it breaks off. */
  readBody: (bytesMax: number) => Promise<unknown>
  /** Where the call came from. */
  address: string
  requestId: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** Null after success: for logs and metrics. */
  code: ErrorCode | null
  workspaceId: number | null
}

/** Rejects with CallerLeft alone: then nobody is there to be answered. */
export type Dispatch = (call: Call) => Promise<Answer>

/** `judgeIntake` throws the refusal while there is no room for anything new. */
export function createDispatch(ctx: Service, countRequest: CountRequest, judgeIntake: () => void = () => undefined): Dispatch {
  return async (call) => {
    const answer: Answer = { status: 500, headers: {}, body: null, code: null, workspaceId: null }
    try {
      const caller = await admitCall(ctx, countRequest, call, answer)
      if (takesIn(call.operation)) judgeIntake()
      await perform(ctx, call, caller, answer)
    } catch (error) {
      if (error instanceof CallerLeft) throw error
      refuse(ctx, call, error, answer)
    }
    return answer
  }
}

/** What writes something new. Calls that keep mail from leaving are taken on a full disk too: they need next to nothing. */
function takesIn(operation: OperationId | null): boolean {
  if (operation === null || ['cancelEmail', 'addSuppression', 'removeSubscriber'].includes(operation)) return false
  return operations[operation].method !== 'GET'
}

/** Key, scope and rate; what is learnt of the rate goes into the headers whatever comes after. */
async function admitCall(ctx: Context, countRequest: CountRequest, call: Call, answer: Answer): Promise<CountedRequest | null> {
  const operation: Operation | null = call.operation && operations[call.operation]
  const credentials = readCredentials(call.headers)
  if (credentials.kind === 'key' && operation?.scope !== 'none') {
    const scope = operation?.scope ?? null
    const counted = await countRequest(credentials.workspaceId, { digest: credentials.digest, scope })
    const { keyId, scopes, revoked, expired } = counted.caller
    if (keyId !== null && !revoked && !expired) {
      showRate(answer, counted.rate)
      answer.workspaceId = credentials.workspaceId
      if (scope !== null && !scopes.includes(scope)) throw new ApiError('insufficient_scope', { required: scope, scopes })
      if (!counted.rate.passes) throw rateExceeded(counted.rate)
      if (counted.caller.lastUseStale) noteUse(ctx, credentials.workspaceId, keyId)
      return counted
    }
    await countByAddress(countRequest, call, answer)
    if (operation === null) throw new ApiError('not_found')
    if (revoked) throw new ApiError('revoked_api_key')
    if (expired) throw new ApiError('revoked_api_key', { reason: 'expired' })
    throw new ApiError('invalid_api_key')
  }
  await countByAddress(countRequest, call, answer)
  if (operation === null) throw new ApiError('not_found')
  if (operation.scope === 'none') return null
  throw new ApiError(credentials.kind === 'none' ? 'missing_api_key' : 'invalid_api_key')
}

/** Counts a call that has no good key; throws `rate_limit_exceeded`. */
export async function countByAddress(countRequest: CountRequest, call: Pick<Call, 'address'>, answer: Answer): Promise<void> {
  const { rate } = await countRequest(0, { address: call.address })
  showRate(answer, rate)
  if (!rate.passes) throw rateExceeded(rate)
}

const rateExceeded = (rate: Rate): ApiError =>
  new ApiError('rate_limit_exceeded', { limit: rate.limit, retry_after: rate.retryAfter }, rate.retryAfter)

function showRate(answer: Answer, rate: Rate): void {
  answer.headers['X-RateLimit-Limit'] = String(rate.limit)
  answer.headers['X-RateLimit-Remaining'] = String(rate.remaining)
  answer.headers['X-RateLimit-Reset'] = String(rate.resetAt)
}

/** What is told when the database could not count: nothing passes now (spec: Rate headers, on every response). */
const uncounted = (ctx: Context): Rate => {
  const resetAt = Math.ceil(ctx.clock.now().getTime() / 1000) + 1
  return { passes: false, limit: limits.requestsPerMinute, remaining: 0, resetAt, retryAfter: 1 }
}

/** Keeps the last use of a key, to the minute, beside the call and not in its way. */
function noteUse(ctx: Context, workspaceId: number, keyId: string): void {
  noteKeyUse(ctx.countingDb, workspaceId, keyId).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'The last use of a key was not noted'),
  )
}

async function perform(ctx: Service, call: Call, counted: CountedRequest | null, answer: Answer): Promise<void> {
  if (call.operation === null) throw new ApiError('not_found')
  const operation: Operation = operations[call.operation]
  const body = operation.body ? await call.readBody(operation.bodyBytesMax) : undefined
  const input = judgeShape(call.operation, { params: call.params, query: call.query, headers: call.headers, body })
  const caller = counted?.caller
  const callContext: CallContext = {
    ...ctx,
    workspaceId: answer.workspaceId ?? 0,
    apiKey: {
      id: caller?.keyId ?? '',
      name: caller?.keyName ?? '',
      prefix: caller?.keyPrefix ?? '',
      scopes: caller?.scopes ?? [],
    },
  }
  // The table guarantees that the handler of an operation takes that operation's input.
  const handle = handlers[call.operation] as (ctx: CallContext, input: unknown) => Promise<AnswerOf<OperationId>>
  const result = await handle(callContext, input)
  answer.status = result.status ?? operation.answer.status
  Object.assign(answer.headers, result.headers)
  answer.body = result.body
}

/** Makes the answer a refusal; what is no refusal of ours is a failure, and logged. */
export function refuse(
  ctx: Context,
  call: Pick<Call, 'operation' | 'requestId' | 'headers'>,
  error: unknown,
  answer: Answer,
): void {
  const expected = error instanceof ApiError ? error : new ApiError('internal_error')
  if (expected !== error) ctx.log.error({ err: error, requestId: call.requestId, operation: call.operation }, 'A call failed')
  answer.code = expected.code
  answer.status = errorKinds[expected.code].status
  if (!answer.headers['X-RateLimit-Limit']) showRate(answer, uncounted(ctx))
  if (expected.retryAfter !== undefined) answer.headers['Retry-After'] = String(expected.retryAfter)
  answer.body = errorBody(expected.code, expected.details, chooseLanguage(call.headers['accept-language'], ctx.settings.language))
}

/** French or English, by the first of them that the caller names; the operator's setting where it names neither (RFC 9110 12.5.4). */
export function chooseLanguage(accepted: string | undefined, fallback: Language): Language {
  const wishes = (accepted ?? '').split(',').map((entry) => {
    const [range = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const quality = parameters.map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1]).find((q) => q !== undefined)
    return { language: range.split('-')[0], quality: quality === undefined ? 1 : Number(quality) }
  })
  const best = wishes
    .filter((wish) => (wish.language === 'fr' || wish.language === 'en') && wish.quality > 0)
    .toSorted((a, b) => b.quality - a.quality)[0]
  return best?.language === 'fr' ? 'fr' : best?.language === 'en' ? 'en' : fallback
}
