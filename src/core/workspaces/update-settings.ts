/** PATCH /settings: changes the given settings. */
import { changeSettings } from './change-settings.ts'
import { getSettings } from './get-settings.ts'
import type { Verb } from '../verb.ts'

export const updateSettings: Verb<'updateSettings'> = async (ctx, { body }) => {
  await changeSettings(ctx, body)
  return getSettings(ctx)
}
