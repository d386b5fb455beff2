/**
 * Dispatches calls of the operator's page of captured mail, which its entry point has let in: rate →
 * origin → workspace → intake → database → shape → verb → answer.
 */
import { ApiError } from '../../contract/errors.ts'
import { operations, type OperationId } from '../../contract/operations.ts'
import { findWorkspace } from '../../db/workspaces/workspaces.ts'
import type { CallContext, Service } from '../context.ts'
import { openIntake, type Intake } from '../intake.ts'
import type { Answer, Call } from './call.ts'
import { isOwnPage } from './check-origin.ts'
import type { CountRequest } from './count-request.ts'
import { answerCall, noKey } from './dispatch.ts'
import { countByAddress } from './identify.ts'

export interface OperatorCall extends Call {
  operation: OperationId
  /** The requested workspace; empty: all, which only a list can answer. */
  workspace: string
  operator: NonNullable<CallContext['operator']>
}

/** Rejects only with CallerLeft. */
export type OperatorDispatch = (call: OperatorCall) => Promise<Answer>

export function createOperatorDispatch(
  ctx: Service,
  countRequest: CountRequest,
  intake: Intake = openIntake(),
): OperatorDispatch {
  return (call) =>
    answerCall(ctx, { call, intake }, async (answer) => {
      await countByAddress(countRequest, { address: 'operator' }, answer)
      if (
        operations[call.operation].method !== 'GET' &&
        !isOwnPage(call.headers, ctx.settings.baseUrl)
      )
        throw new ApiError('foreign_origin')
      answer.workspaceId = await workspaceOf(ctx, call)
      return { apiKey: noKey, user: null, operator: call.operator }
    })
}

/** Null: all of them. */
async function workspaceOf(
  { db }: Service,
  { workspace, operation }: OperatorCall,
): Promise<number | null> {
  if (workspace === '' && operation === 'listCapturedMails') return null
  const row = workspace === '' ? null : await findWorkspace(db, workspace)
  if (!row) throw new ApiError('not_found', { workspace })
  return row.id
}
