/** POST /imports/{id}/try: checks every line and stores nothing. */
import { scheduleImport } from './schedule-import.ts'
import type { Verb } from '../../verb.ts'

export const tryImport: Verb<'tryImport'> = async (ctx, { params, body }) => {
  return { body: await scheduleImport(ctx, { id: params.id, plan: body, state: 'trying' }) }
}
