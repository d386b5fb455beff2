/** PATCH /settings: changes the given settings. */
import type { CallContext } from '../context.ts'
import { changeSettings } from './change-settings.ts'
import { getSettings } from './get-settings.ts'
import type { Verb } from '../verb.ts'

export const updateSettings: Verb<'updateSettings', CallContext, 'body'> = async (ctx, { body }) => {
  await changeSettings(ctx, body)
  return getSettings(ctx)
}
