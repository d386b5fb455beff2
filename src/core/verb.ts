/**
 * Defines the type of a verb, the behaviour of one operation: from the context and the parsed input
 * to the answer.
 */
import type { AnswerOf, InputOf, OperationId } from '../contract/operations.ts'
import type { CallContext } from './context.ts'

/**
 * A verb that commands call too names the least context, and the parts of the input, that it needs.
 */
export type Verb<
  Id extends OperationId,
  Ctx = CallContext,
  Parts extends keyof InputOf<Id> = keyof InputOf<Id>,
> = (ctx: Ctx, input: Pick<InputOf<Id>, Parts>) => Promise<AnswerOf<Id>>
