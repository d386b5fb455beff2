/**
 * Dispatches every API call, from REST and MCP alike: key → scope → rate → intake → cell → shape →
 * verb → answer.
 */
import { ApiError, errorBody, type Language } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  operationFor,
  operations,
  type AnswerOf,
  type OperationId,
} from '../../contract/operations.ts'
import type { Operation, OutgoingFile } from '../../contract/operation.ts'
import { passesLater, refusedByMove } from '../../db/connection/database-errors.ts'
import { ofWorkspace } from '../cells.ts'
import type { CallContext, Context, Service } from '../context.ts'
import {
  newAnswer,
  noSuchAddress,
  addRateHeaders,
  type Answer,
  type Call,
  type KnownCaller,
} from './call.ts'
import { CallerLeft } from './caller-left.ts'
import type { CountRequest } from './count-request.ts'
import type { CountedRequest, Rate } from './prefetched-quota.ts'
import { handlers } from './handlers.ts'
import { callerLeftStatus, recordCall } from './record-call.ts'
import { countByAddress, identify, authorizeCaller, authorizeKnownCaller } from './identify.ts'
import { openIntake, type Intake } from '../intake.ts'
import { validateShape } from '../input/validate-shape.ts'

/**
 * Rejects only with CallerLeft, when no caller waits for an answer. `caller`: who this call was
 * already counted for.
 */
export type Dispatch = (call: Call, caller?: KnownCaller) => Promise<Answer>

/** `intake` says whether new data is refused now. */
export function createDispatch(
  ctx: Service,
  countRequest: CountRequest,
  intake: Intake = openIntake(),
): Dispatch {
  return async (call, known) => {
    const answer = newAnswer()
    const startedAtMs = ctx.clock.monotonicMs()
    try {
      const counted = known
        ? await authorizeKnownCaller(ctx, call, known, answer)
        : await admitCall(ctx, countRequest, call, answer)
      await perform(ctx, { call, caller: { apiKey: keyOf(counted), user: null }, intake }, answer)
    } catch (error) {
      if (error instanceof CallerLeft) {
        answer.status = callerLeftStatus
        recordCall(ctx, { call, answer, startedAtMs })
        throw error
      }
      refuse(ctx, call, error, answer)
    }
    recordCall(ctx, { call, answer, startedAtMs })
    return answer
  }
}

/**
 * Identifies the caller by the key and counts the request. When `caller` is null, the answer has
 * the refusal.
 */
export type Identify = (
  request: Pick<Call, 'headers' | 'address' | 'requestId'>,
) => Promise<{ caller: KnownCaller | null; answer: Answer }>

export function createIdentify(ctx: Service, countRequest: CountRequest): Identify {
  return async (request) => {
    const answer = newAnswer()
    try {
      return {
        caller: await identify(ctx, countRequest, { ...request, scope: null }, answer),
        answer,
      }
    } catch (error) {
      refuse(ctx, { ...request, operation: null }, error, answer)
      return { caller: null, answer }
    }
  }
}

/** Calls that stop mail: they are accepted on a full disk too, since they need almost no space. */
const stopping = new Set<OperationId>([
  'cancelEmail',
  'addSuppression',
  'removeSubscriber',
  'pauseCampaign',
  'cancelCampaign',
  'undoCampaignSend',
  'unscheduleCampaign',
])

/** Whether an operation writes new data. */
function takesIn(operation: OperationId | null): boolean {
  if (operation === null || stopping.has(operation)) return false
  const { method, entry }: Operation = operations[operation]
  // A user must be able to sign in to mend the problem.
  return method !== 'GET' && entry !== 'user'
}

/**
 * What a call that began in the cell that its workspace has left was refused for may be that its
 * rows are gone there.
 */
const movedMeanwhile = (): ApiError =>
  new ApiError('internal_error', { reason: 'changing_cell' }, 1, 503)

/** Checks key, scope and rate. The rate headers are set whatever happens afterwards. */
async function admitCall(
  ctx: Service,
  countRequest: CountRequest,
  call: Call,
  answer: Answer,
): Promise<CountedRequest | null> {
  const operation: Operation | null = call.operation && operations[call.operation]
  if (operation?.scope === 'none') {
    await countByAddress(countRequest, call, answer)
    return null
  }
  const scope = operation?.scope ?? null
  const { counted } = await identify(ctx, countRequest, { ...call, scope }, answer)
  authorizeCaller(counted, scope)
  return counted
}

/** Null: the call has no key, as those of users. */
export const keyOf = (counted: CountedRequest | null): CallContext['apiKey'] => ({
  id: counted?.caller.keyId ?? '',
  name: counted?.caller.keyName ?? '',
  prefix: counted?.caller.keyPrefix ?? '',
  scopes: counted?.caller.scopes ?? [],
})

interface AuthorizedCall {
  call: Call
  caller: Pick<CallContext, 'apiKey' | 'user'>
  intake: Intake
}

/**
 * Runs intake → cell → shape → verb → answer for an authorized caller: programs and users share
 * these steps.
 */
export async function perform(
  ctx: Service,
  { call, caller, intake }: AuthorizedCall,
  answer: Answer,
): Promise<void> {
  const refusal = intake.moving ?? intake.disk
  if (refusal !== null && takesIn(call.operation)) throw refusal()
  const workspaceId = answer.workspaceId ?? 0
  const at = await ofWorkspace(ctx, workspaceId)
  try {
    await performHere(at, { call, caller }, answer)
  } catch (error) {
    throw (await ofWorkspace(at, workspaceId)).cell.id === at.cell.id ? error : movedMeanwhile()
  }
}

async function performHere(
  ctx: Service,
  { call, caller }: Omit<AuthorizedCall, 'intake'>,
  answer: Answer,
): Promise<void> {
  if (call.operation === null) throw noSuchAddress(call)
  const operation = operationFor(call.operation, caller.user !== null)
  const body = operation.body ? await readBody(call, operation, caller) : undefined
  const file = operation.takesFile ? call.readFile?.(operation.bodyBytesMax) : undefined
  const raw = { ...call.input, body, ...(file && { file }) }
  const input = validateShape(call.operation, raw, operation)
  const requester = { address: call.address, userAgent: call.headers['user-agent'] ?? '' }
  const language = chooseLanguage(call.headers['accept-language'], ctx.settings.language)
  const callContext: CallContext = {
    ...ctx,
    workspaceId: answer.workspaceId ?? 0,
    ...caller,
    requester,
    language,
  }
  // The table guarantees that the handler of an operation takes that operation's input.
  const handle = handlers[call.operation] as (
    ctx: CallContext,
    input: unknown,
  ) => Promise<Performed>
  const result = await handle(callContext, input)
  answer.status = result.status ?? operation.answer.status
  Object.assign(answer.headers, result.headers)
  // The table says that this operation answers a file.
  if (operation.answer.file) answer.file = result.body as OutgoingFile
  else answer.body = result.body
}

/** Callers without key or session have a smaller limit, and memory of their own. */
function readBody(
  call: Call,
  { bodyBytesMax }: Operation,
  { apiKey, user }: Pick<CallContext, 'apiKey' | 'user'>,
): Promise<unknown> {
  if (user !== null || apiKey.id !== '') return call.readBody(bodyBytesMax)
  return call.readBody(Math.min(bodyBytesMax, limits.strangersBodyBytes), 'stranger')
}

type Performed = Omit<AnswerOf<OperationId>, 'body'> & { body: unknown }

/** Turns an error into the answer. Anything but an expected refusal is a failure, and logged. */
export function refuse(
  ctx: Context,
  call: Pick<Call, 'operation' | 'requestId' | 'headers'>,
  error: unknown,
  answer: Answer,
): void {
  const expected = error instanceof ApiError ? error : refusalOf(error)
  if (expected !== error)
    ctx.log.error(
      { err: error, requestId: call.requestId, operation: call.operation },
      'A call failed',
    )
  answer.code = expected.code
  answer.status = expected.status
  if (!answer.headers['X-RateLimit-Limit']) addRateHeaders(answer, uncounted(ctx))
  if (expected.retryAfter !== undefined) answer.headers['Retry-After'] = String(expected.retryAfter)
  const { reason, allowed } = expected.details
  // RFC 9110 10.2.1: `Allow` lists the methods of the address.
  if (reason === 'method' && Array.isArray(allowed)) answer.headers['Allow'] = allowed.join(', ')
  const challenge = challengeFor(expected)
  if (challenge !== null) answer.headers['WWW-Authenticate'] = challenge
  const language = chooseLanguage(call.headers['accept-language'], ctx.settings.language)
  answer.body = errorBody(expected.code, expected.details, language, expected.status)
}

/**
 * Says how to authenticate: a 401 has at least one challenge (RFC 9110 11.6.1).
 * `Bearer` names an error when the call had a key, and the missing permission (RFC 6750 3 and 3.1).
 * The scheme for browsers has a name that no browser acts on.
 */
function challengeFor({ code, details }: ApiError): string | null {
  switch (code) {
    case 'missing_api_key':
      return bearer
    case 'invalid_api_key':
    case 'revoked_api_key': {
      const why =
        code === 'invalid_api_key'
          ? 'unknown'
          : details['reason'] === 'expired'
            ? 'expired'
            : 'revoked'
      return `${bearer}, error="invalid_token", error_description="The API key is ${why}"`
    }
    case 'insufficient_scope':
      return `${bearer}, error="insufficient_scope", scope="${String(details['required'])}"`
    case 'not_signed_in':
    case 'wrong_credentials':
    case 'second_factor_required':
      return 'Cookie realm="Facteur"'
    default:
      return null
  }
}

const bearer = 'Bearer realm="Facteur"'

function refusalOf(error: unknown): ApiError {
  if (refusedByMove(error)) return movedMeanwhile()
  const retryAfter = retryAfterOf(error)
  return new ApiError('internal_error', {}, retryAfter, retryAfter === undefined ? undefined : 503)
}

/**
 * Seconds after which a call may succeed that the database kept from passing; undefined: the
 * failure had another cause.
 */
export const retryAfterOf = (error: unknown): number | undefined =>
  passesLater(error) ? 5 : undefined

/**
 * The rate shown when the database could not count: no request passes now (spec: Rate headers, on
 * every response).
 */
const uncounted = (ctx: Context): Rate => {
  const resetAt = Math.ceil(ctx.clock.now().getTime() / 1000) + 1
  return { passes: false, limit: limits.requestsPerMinute, remaining: 0, resetAt, retryAfter: 1 }
}

/**
 * Chooses French or English by the first that the caller names, else by the operator's setting (RFC
 * 9110 12.5.4).
 */
export function chooseLanguage(accepted: string | undefined, fallback: Language): Language {
  const wishes = (accepted ?? '').split(',').map((entry) => {
    const [range = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const quality = parameters
      .map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1])
      .find((q) => q !== undefined)
    return { language: range.split('-')[0], quality: quality === undefined ? 1 : Number(quality) }
  })
  const best = wishes
    .filter((wish) => (wish.language === 'fr' || wish.language === 'en') && wish.quality > 0)
    .toSorted((a, b) => b.quality - a.quality)[0]
  return best?.language === 'fr' ? 'fr' : best?.language === 'en' ? 'en' : fallback
}
