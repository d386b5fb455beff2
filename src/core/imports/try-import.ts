/** POST /imports/{id}/try: checks every line and stores nothing. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { scheduleImport } from './schedule-import.ts'

export async function tryImport(ctx: CallContext, { params, body }: InputOf<'tryImport'>): Promise<AnswerOf<'tryImport'>> {
  return { body: await scheduleImport(ctx, { id: params.id, plan: body, state: 'trying' }) }
}
