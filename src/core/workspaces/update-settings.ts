/** PATCH /settings: changes the given settings. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { changeSettings } from './change-settings.ts'
import { getSettings } from './get-settings.ts'

export async function updateSettings(
  ctx: CallContext,
  { body }: Pick<InputOf<'updateSettings'>, 'body'>,
): Promise<AnswerOf<'updateSettings'>> {
  await changeSettings(ctx, body)
  return getSettings(ctx)
}
