/** The one way into the verbs, for REST and MCP alike: key → scope → rate → shape → verb → answer. */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, errorBody, errorKinds } from '../../contract/errors.ts'
import type { ErrorCode, Language } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { operations } from '../../contract/operations.ts'
import type { AnswerOf, Operation, OperationId } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import { noteKeyUse } from '../../db/api-keys.ts'
import { giveBackRequests } from '../../db/request-rates.ts'
import type { CallContext, Context, Service } from '../context.ts'
import { CallerLeft } from './caller-left.ts'
import type { CountRequest } from './count-request.ts'
import type { CountedRequest, Rate } from './places-ahead.ts'
import { handlers } from './handlers.ts'
import { judgeShape } from './judge-shape.ts'
import type { RawInput } from './judge-shape.ts'
import { readCredentials } from './read-key.ts'

/** One call as a door hands it in. */
export interface Call {
  /** Null: no operation lives at this address. */
  operation: OperationId | null
  /** Where each parameter is looked for; the body is read when its turn comes. */
  input: Omit<RawInput, 'body'>
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

/** Whose call it is, where a door had to know before it could tell which operation is meant: counted, and not yet judged. */
export interface KnownCaller {
  workspaceId: number
  counted: CountedRequest
}

/** Rejects with CallerLeft alone: then nobody is there to be answered. `caller`: who was counted for this call already. */
export type Dispatch = (call: Call, caller?: KnownCaller) => Promise<Answer>

/** `judgeIntake` throws the refusal while there is no room for anything new. */
export function createDispatch(ctx: Service, countRequest: CountRequest, judgeIntake: () => void = () => undefined): Dispatch {
  return async (call, known) => {
    const answer = newAnswer()
    try {
      const caller = known ? await judgeKnown(ctx, call, known, answer) : await admitCall(ctx, countRequest, call, answer)
      if (takesIn(call.operation)) judgeIntake()
      await perform(ctx, call, caller, answer)
    } catch (error) {
      if (error instanceof CallerLeft) throw error
      refuse(ctx, call, error, answer)
    }
    return answer
  }
}

/** Learns whose key a request carries and counts it, whatever is asked; the answer has the refusal where `caller` is null. */
export type Identify = (
  request: Pick<Call, 'headers' | 'address' | 'requestId'>,
) => Promise<{ caller: KnownCaller | null; answer: Answer }>

export function createIdentify(ctx: Context, countRequest: CountRequest): Identify {
  return async (request) => {
    const answer = newAnswer()
    try {
      return { caller: await identify(ctx, countRequest, { ...request, scope: null }, answer), answer }
    } catch (error) {
      refuse(ctx, { ...request, operation: null }, error, answer)
      return { caller: null, answer }
    }
  }
}

/** Nothing is answered yet. */
export const newAnswer = (): Answer => ({ status: 500, headers: {}, body: null, code: null, workspaceId: null })

/** What writes something new. Calls that keep mail from leaving are taken on a full disk too: they need next to nothing. */
function takesIn(operation: OperationId | null): boolean {
  if (operation === null || ['cancelEmail', 'addSuppression', 'removeSubscriber'].includes(operation)) return false
  return operations[operation].method !== 'GET'
}

/** Key, scope and rate; what is learnt of the rate goes into the headers whatever comes after. */
async function admitCall(ctx: Context, countRequest: CountRequest, call: Call, answer: Answer): Promise<CountedRequest | null> {
  const operation: Operation | null = call.operation && operations[call.operation]
  if (operation?.scope === 'none') {
    await countByAddress(countRequest, call, answer)
    return null
  }
  const scope = operation?.scope ?? null
  const { counted } = await identify(ctx, countRequest, { ...call, scope }, answer)
  judgeCaller(counted, scope)
  return counted
}

/** Looks the key up and counts the request; a stranger's is counted by address, and refused. */
async function identify(
  ctx: Context,
  countRequest: CountRequest,
  {
    headers,
    address,
    scope,
    operation,
  }: Pick<Call, 'headers' | 'address'> & { scope: Scope | null; operation?: OperationId | null },
  answer: Answer,
): Promise<KnownCaller> {
  const credentials = readCredentials(headers)
  if (credentials.kind !== 'key') {
    await countByAddress(countRequest, { address }, answer)
    if (operation === null) throw new ApiError('not_found')
    throw new ApiError(credentials.kind === 'none' ? 'missing_api_key' : 'invalid_api_key')
  }
  const { workspaceId, digest } = credentials
  const counted = await countRequest(workspaceId, { digest, scope })
  const { keyId, revoked, expired } = counted.caller
  if (keyId === null || revoked || expired) {
    await countByAddress(countRequest, { address }, answer)
    if (operation === null) throw new ApiError('not_found')
    if (revoked) throw new ApiError('revoked_api_key')
    if (expired) throw new ApiError('revoked_api_key', { reason: 'expired' })
    throw new ApiError('invalid_api_key')
  }
  showRate(answer, counted.rate)
  answer.workspaceId = workspaceId
  if (counted.rate.passes && counted.caller.lastUseStale) noteUse(ctx, workspaceId, keyId)
  return { workspaceId, counted }
}

/** Throws where the key lacks the permission, or has asked too much; the permission is judged first. */
function judgeCaller({ caller, rate }: CountedRequest, scope: Scope | null): void {
  if (scope !== null && !caller.scopes.includes(scope)) {
    throw new ApiError('insufficient_scope', { required: scope, scopes: caller.scopes })
  }
  if (!rate.passes) throw rateExceeded(rate)
}

/** The same for who was counted before the operation was known. A call without the permission does not count: its place goes back. */
async function judgeKnown(
  ctx: Context,
  call: Call,
  { workspaceId, counted }: KnownCaller,
  answer: Answer,
): Promise<CountedRequest> {
  const { caller, rate } = counted
  const scope = call.operation && operations[call.operation].scope
  const needed = scope === 'none' ? null : scope
  const goesBack = needed !== null && !caller.scopes.includes(needed) && rate.passes
  answer.workspaceId = workspaceId
  showRate(answer, goesBack ? { ...rate, remaining: rate.remaining + 1 } : rate)
  if (goesBack && caller.bucket !== null) await giveBackRequests(ctx.countingDb, workspaceId, caller.bucket, caller.now, 1)
  judgeCaller(counted, needed)
  return counted
}

/** Counts a call that has no good key; throws `rate_limit_exceeded`. */
export async function countByAddress(countRequest: CountRequest, call: Pick<Call, 'address'>, answer: Answer): Promise<void> {
  const { rate } = await countRequest(0, { address: call.address })
  showRate(answer, rate)
  if (!rate.passes) throw rateExceeded(rate)
}

export const rateExceeded = (rate: Rate): ApiError =>
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
  const input = judgeShape(call.operation, { ...call.input, body })
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
