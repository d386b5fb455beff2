/** POST /imports/{id}/start: stores the subscribers of a file; a stopped import continues after the last stored one. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { scheduleImport } from './schedule-import.ts'

export async function startImport(ctx: CallContext, { params, body }: InputOf<'startImport'>): Promise<AnswerOf<'startImport'>> {
  return { body: await scheduleImport(ctx, { id: params.id, plan: body, state: 'importing' }) }
}
