/**
 * Answers a call in Resend's shape by operations of ours, with the caller's key: key → permission →
 * rate → shape, then one operation after the other. A refusal of any of them is the answer.
 */
import type { AnswerOf, OperationId } from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Service } from '../../core/context.ts'
import type { Call } from '../../core/dispatch/call.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import type { EntryPointAnswer, EntryPoints, Incoming } from '../../core/dispatch/entry-points.ts'
import type { Dispatch } from '../../core/dispatch/dispatch.ts'
import { authorizeCaller } from '../../core/dispatch/identify.ts'
import { recordCall } from '../../core/dispatch/record-call.ts'
import { refuse } from '../../core/dispatch/refuse.ts'

export interface ResendParts {
  entryPoints: Pick<EntryPoints, 'identify' | 'dispatch' | 'dispatchTogether'>
  service: Service
}

/** The parts of an operation's input; those that are left out are empty. */
interface Parts {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: object
}

/** Performs an operation for the caller; its refusal ends the call. */
export type Perform = <Id extends OperationId>(
  operation: Id,
  parts?: Parts,
) => Promise<AnswerOf<Id>['body']>

export interface ResendRequest {
  perform: Perform
  /** Performs several operations in one transaction: a refusal of one undoes the others. */
  together: <T>(work: (perform: Perform) => Promise<T>) => Promise<T>
  params: Record<string, string>
  query: Record<string, string>
  headers: Incoming['headers']
  readBody(bytesMax: number): Promise<unknown>
}

/** A null `scope` means any key will do. */
export interface ResendRoute {
  scope: Scope | null
  work: (request: ResendRequest) => Promise<{ status?: number; body: object }>
}

/** Ends a call whose answer is the refusal of an operation, unless the call goes on without it. */
export class RefusedOperation extends Error {
  readonly code: EntryPointAnswer['code']

  constructor({ operation, code }: EntryPointAnswer) {
    super(`${operation} was refused`)
    this.code = code
  }
}

export async function answerResendCall(
  { entryPoints, service }: ResendParts,
  { scope, work }: ResendRoute,
  incoming: Incoming,
): Promise<EntryPointAnswer> {
  const startedAtMs = service.clock.monotonicMs()
  const { caller, answer } = await entryPoints.identify(incoming)
  let last: EntryPointAnswer = { ...answer, operation: null }
  if (caller === null) return last
  const performBy =
    (dispatch: Dispatch): Perform =>
    async (operation, { params = {}, query = {}, body } = {}) => {
      const call: Call = {
        operation,
        input: { params, query, headers: incoming.headers },
        headers: incoming.headers,
        readBody: () => Promise.resolve(body),
        address: incoming.address,
        requestId: incoming.requestId,
      }
      last = { ...(await dispatch(call, caller)), operation }
      if (last.code !== null) throw new RefusedOperation(last)
      // The dispatcher answers each operation with its own body.
      return last.body as AnswerOf<typeof operation>['body']
    }
  try {
    authorizeCaller(caller.counted, scope)
    const { status = 200, body } = await work({
      perform: performBy(entryPoints.dispatch),
      together: (inside) =>
        entryPoints.dispatchTogether(caller, (dispatch) => inside(performBy(dispatch))),
      params: incoming.params,
      query: incoming.query,
      headers: incoming.headers,
      readBody: (bytesMax) => incoming.readBody(bytesMax),
    })
    return { ...last, status, body, code: null }
  } catch (error) {
    if (error instanceof CallerLeft) throw error
    if (error instanceof RefusedOperation) return last
    const call = { ...incoming, operation: null }
    refuse(service, call, error, answer)
    // A look-up that found nothing is in the log as the operation that looked.
    if (last.operation === null || answer.code !== 'not_found')
      recordCall(service, { call, answer, startedAtMs })
    return { ...answer, operation: last.operation }
  }
}
