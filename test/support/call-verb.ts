/**
 * Calls a verb as a dispatcher does, for a workspace, with neither key nor user; answers the body.
 * A verb needs only what it uses.
 */
import type {
  AnswerOf,
  InputOf,
  MemberAnswerOf,
  OperationId,
} from '../../src/contract/operations.ts'
import type { CallContext, Service } from '../../src/core/context.ts'
import { handlers } from '../../src/core/dispatch/handlers.ts'

/** The parts that the operation reads; those that are left out are empty. */
type Parts<Id extends OperationId> = Partial<Pick<InputOf<Id>, 'params' | 'query' | 'body'>>

export async function callVerb<Id extends OperationId>(
  service: Pick<Service, 'db' | 'wake' | 'makeId'> & Partial<Service>,
  workspaceId: number,
  id: Id,
  parts: Parts<Id> = {},
): Promise<MemberAnswerOf<Id>> {
  const ctx = {
    ...{ ...service, workspaceId, user: null, language: 'en' },
    apiKey: { id: '', name: '', prefix: '', scopes: [] },
    requester: { address: '127.0.0.1', userAgent: 'test' },
  } as object as CallContext
  const verb = handlers[id] as (ctx: CallContext, input: object) => Promise<AnswerOf<Id>>
  const { body } = await verb(ctx, { params: {}, query: {}, headers: {}, body: {}, ...parts })
  return body as MemberAnswerOf<Id>
}
