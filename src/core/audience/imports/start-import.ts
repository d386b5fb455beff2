/**
 * POST /imports/{id}/start: stores the subscribers of a file; a stopped import continues after the
 * last stored one.
 */
import { scheduleImport } from './schedule-import.ts'
import type { Verb } from '../../verb.ts'

export const startImport: Verb<'startImport'> = async (ctx, { params, body }) => {
  return { body: await scheduleImport(ctx, { id: params.id, plan: body, state: 'importing' }) }
}
