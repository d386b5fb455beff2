/**
 * Calls an operation of the contract for the operator: shape → verb → answer, without key, rate or
 * role.
 */
import type {
  AnswerOf,
  InputOf,
  MemberAnswerOf,
  OperationId,
} from '../../../contract/operations.ts'
import type { CallContext } from '../../../core/context.ts'
import type { CommandContext } from '../command.ts'

/** The parts of a call; those that are left out are empty. */
export interface CallParts {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

/** Answers the body of the answer. Throws `ApiError` like every entry point's call. */
export async function callOperation<Id extends OperationId>(
  ctx: CommandContext,
  workspaceId: number,
  { id, params = {}, query = {}, body = {} }: CallParts & { id: Id },
): Promise<MemberAnswerOf<Id>> {
  // Loaded here: help and commands without an operation do not wait for all verbs.
  const { handlers } = await import('../../../core/dispatch/handlers.ts')
  const { validateShape } = await import('../../../core/input/validate-shape.ts')
  const input = validateShape(id, { params, query, headers: {}, body })
  const secrets = needsSecrets.has(id) ? await ctx.openSecrets() : unopenedSecrets(id)
  // The table guarantees that the handler of an operation takes that operation's input.
  const handle = handlers[id] as (ctx: CallContext, input: InputOf<Id>) => Promise<AnswerOf<Id>>
  const { body: answer } = await handle(asCallContext({ ...ctx, secrets }, workspaceId), input)
  // A caller without a key gets the answer that members get.
  return answer as MemberAnswerOf<Id>
}

/** Operations that make or read secrets; the others work without the master key. */
const needsSecrets: ReadonlySet<OperationId> = new Set<OperationId>([
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'testWebhook',
  'replayWebhookDelivery',
  'rotateWebhookSecret',
  'addDomain',
  'checkDomain',
  'rotateDomainKeys',
])

const fail = (id: OperationId) => (): never => {
  throw new Error(`${id} uses the secrets: needsSecrets in call-operation.ts has to name it.`)
}
const unopenedSecrets = (id: OperationId): object => new Proxy({}, { get: fail(id) })

/**
 * Neither key nor user: the audit log calls the operator `command line`. A command sends nothing
 * itself, so the parts of a running service are absent: an operation that hands mail over cannot be
 * a command.
 */
const asCallContext = (
  ctx: CommandContext & { secrets: object },
  workspaceId: number,
): CallContext =>
  ({
    ...{ ...ctx, segmentDb: ctx.db },
    ...{ workspaceId, user: null, language: 'en' },
  }) as object as CallContext
