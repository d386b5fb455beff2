/** Describes an answered call for the log: what was asked and what it made, never its content. */
import { isIP } from 'node:net'
import type { OperationId } from '../../contract/operations.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service, WorkspaceCall } from '../context.ts'
import type { Answer, Call } from './call.ts'

/**
 * The status that the log has for a caller who left before the request was whole; no answer has it.
 */
export const callerLeftStatus = 499

export interface AnsweredCall {
  call: Pick<Call, 'operation' | 'address' | 'requestId' | 'mcp'>
  answer: Pick<Answer, 'status' | 'code' | 'body' | 'workspaceId' | 'keyId'>
  /** On the monotonic clock. */
  startedAtMs: number
}

/**
 * Leaves the call in the log. A call without a key of a workspace belongs to none: the metrics
 * alone count it.
 */
export function recordCall(
  service: Pick<Service, 'clock' | 'requestLog' | 'databaseId' | 'databases'>,
  { call: { operation, address, requestId, mcp = false }, answer, startedAtMs }: AnsweredCall,
): void {
  const { workspaceId, keyId, status, code, body } = answer
  if (workspaceId === null || keyId === null) return
  const { clock } = service
  const ms = clock.monotonicMs() - startedAtMs
  const logged: WorkspaceCall = {
    ...{ workspaceId, keyId, operation, mcp, status, code, requestId },
    atMs: Math.round(clock.now().getTime() - ms),
    durationUs: Math.min(Math.round(ms * 1000), durationMax),
    // A proxy that is trusted may pass any text on.
    address: isIP(address) === 0 ? '' : address,
    messageIds: code === null || code === 'send_failed' ? messagesOf(operation, body) : none,
    campaignId: code === null && makesCampaign(operation) ? idOf(body) : null,
  }
  const at = ofWorkspace(service, workspaceId)
  // The call has just used the database, so that it is known but for one that changed meanwhile, or
  // is away.
  if (at instanceof Promise)
    void at.then(({ requestLog }) => requestLog.record(logged)).catch(() => undefined)
  else at.requestLog.record(logged)
}

/** PostgreSQL's largest int: 35 minutes. */
const durationMax = 2_147_483_647
const none: readonly string[] = []

/** A refused hand-off has made a message too, and its details name it. */
function messagesOf(operation: OperationId | null, body: unknown): readonly string[] {
  if (
    (operation !== 'sendEmail' && operation !== 'sendEmailBatch') ||
    typeof body !== 'object' ||
    body === null
  )
    return none
  const { data, error } = body as { data?: unknown[]; error?: { details?: unknown } }
  const parts = data ?? [error?.details ?? body]
  return parts.map(idOf).filter((id) => id !== null)
}

const makesCampaign = (operation: OperationId | null): boolean =>
  operation === 'createCampaign' ||
  operation === 'duplicateCampaign' ||
  operation === 'sendCampaign'

function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'string' ? id : null
}
