/** Defines the type of the table of verbs: each verb takes its operation's input and returns its answer. */
import type { AnswerOf, InputOf, OperationId } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'

export type Handlers = { [Id in OperationId]: (ctx: CallContext, input: InputOf<Id>) => Promise<AnswerOf<Id>> }
