/**
 * Dispatches every API call, from REST and MCP alike: key → scope → rate → intake → database →
 * shape → verb → answer.
 */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  operations,
  operationsOfUsers,
  type AnswerOf,
  type OperationId,
} from '../../contract/operations.ts'
import type { Operation, OutgoingFile } from '../../contract/operation.ts'
import { inDatabaseOf } from '../databases.ts'
import type { CallContext, Service } from '../context.ts'
import { openIntake, takesIn, type Intake } from '../intake.ts'
import { validateShape } from '../input/validate-shape.ts'
import { chooseLanguage, noSuchAddress, type Answer, type Call, type KnownCaller } from './call.ts'
import { CallerLeft } from './caller-left.ts'
import { countFurther } from './count-more.ts'
import type { CountRequest, CountedRequest } from './count-request.ts'
import { handlers } from './handlers.ts'
import { admitKey, newAnswer } from './identify.ts'
import { authorizeKnownCaller } from './known-caller.ts'
import { callerLeftStatus, recordCall } from './record-call.ts'
import { refuse } from './refuse.ts'

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
  return (call, known) =>
    answerCall(ctx, { call, intake }, async (answer) => {
      const counted = known
        ? await authorizeKnownCaller(ctx, call, known, answer)
        : await admitKey(ctx, countRequest, call, answer)
      if (!counted) return { apiKey: noKey, user: null }
      const scope = call.operation && operations[call.operation].scope
      const counting = { call, answer, scope: scope === 'none' ? null : scope }
      const countMore: Caller['countMore'] = (requests) =>
        countFurther(countRequest, counting, requests)
      return { apiKey: keyOf(counted), user: null, countMore }
    })
}

/** A call whose caller has no key, as those of users. */
export const noKey: CallContext['apiKey'] = { id: '', name: '', prefix: '', scopes: [] }

const keyOf = ({ caller }: CountedRequest): CallContext['apiKey'] => ({
  id: caller.keyId ?? '',
  name: caller.keyName ?? '',
  prefix: caller.keyPrefix ?? '',
  scopes: caller.scopes,
})

type Caller = Pick<CallContext, 'apiKey' | 'user' | 'countMore' | 'operator'>

/**
 * Answers a call of a program or a user: `admit` finds out who calls and whether they may, then the
 * steps are the same. Rejects only with CallerLeft.
 */
export async function answerCall(
  ctx: Service,
  { call, intake }: { call: Call; intake: Intake },
  admit: (answer: Answer) => Promise<Caller>,
): Promise<Answer> {
  const answer = newAnswer()
  const startedAtMs = ctx.clock.monotonicMs()
  try {
    const caller = await admit(answer)
    const refusal = intake.pause ?? intake.disk
    if (refusal !== null && takesIn(call.operation)) throw refusal()
    await inDatabaseOf(ctx, answer.workspaceId ?? 0, (at) => perform(at, { call, caller }, answer))
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

interface AuthorizedCall {
  call: Call
  caller: Caller
}

/** Runs shape → verb → answer for an authorized caller. */
async function perform(
  ctx: Service,
  { call, caller }: AuthorizedCall,
  answer: Answer,
): Promise<void> {
  if (call.operation === null) throw noSuchAddress(call)
  const requested = caller.user === null && !caller.operator ? operations : operationsOfUsers
  const { operation: id } = call
  const operation: Operation = requested[id]
  const work =
    call.perform ?? readWork({ id, operation, call }, await bodyOf(call, operation, caller))
  const requester = { address: call.address, userAgent: call.headers['user-agent'] ?? '' }
  const accepted = call.headers['accept-language']
  const result: Performed = await work({
    ...ctx,
    workspaceId: answer.workspaceId ?? 0,
    ...caller,
    requester,
    left: call.left,
    reserveMemory: call.reserveMemory,
    // Programs name none, or any.
    language:
      accepted === undefined || accepted === '*'
        ? ctx.settings.language
        : chooseLanguage(accepted, ctx.settings.language),
  })
  answer.status = result.status ?? operation.answer.status
  Object.assign(answer.headers, result.headers)
  // The table says that this operation answers a file.
  if (operation.answer.file) answer.file = result.body as OutgoingFile
  else answer.body = result.body
}

/** The operation's verb on the input, which is validated here. */
function readWork(
  { id, operation, call }: { id: OperationId; operation: Operation; call: Call },
  body: unknown,
): (ctx: CallContext) => Promise<Performed> {
  const file = operation.takesFile ? call.readFile?.(operation.bodyBytesMax) : undefined
  const raw = { ...call.input, body, ...(file && { file }) }
  const input = validateShape(id, raw, operation)
  // The table guarantees that the handler of an operation takes that operation's input.
  const handle = handlers[id] as (ctx: CallContext, input: unknown) => Promise<Performed>
  return (ctx) => handle(ctx, input)
}

/**
 * A call that takes no body ignores whatever comes, but for keys that it refuses by name
 * (`foreign`).
 */
function bodyOf(call: Call, operation: Operation, caller: Caller): Promise<unknown> | undefined {
  if (operation.body) {
    const body = readBody(call, operation, caller)
    return operation.optionalBody
      ? body.then((parsed) => (parsed === undefined ? {} : parsed))
      : body
  }
  if (!operation.foreign) return undefined
  return readBody(call, operation, caller).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
}

/** Callers without key or session have a smaller limit, and memory of their own. */
function readBody(
  call: Call,
  { bodyBytesMax }: Operation,
  { apiKey, user, operator }: Caller,
): Promise<unknown> {
  if (user !== null || operator || apiKey.id !== '') return call.readBody(bodyBytesMax)
  return call.readBody(Math.min(bodyBytesMax, limits.strangersBodyBytes), 'stranger')
}

type Performed = Omit<AnswerOf<OperationId>, 'body'> & { body: unknown }
