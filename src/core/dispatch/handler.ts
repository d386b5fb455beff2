/** The shape of the table of verbs: each operation's takes that operation's input and answers its body. */
import type { AnswerOf, InputOf, OperationId } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'

export type Handlers = { [Id in OperationId]: (ctx: CallContext, input: InputOf<Id>) => Promise<AnswerOf<Id>> }
