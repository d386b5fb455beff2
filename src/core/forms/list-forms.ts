/** GET /forms: all forms of the workspace. */
import { signUpFormsOf } from '../../db/forms/sign-up-forms.ts'
import { formBodies } from './form-body.ts'
import type { Verb } from '../verb.ts'

export const listForms: Verb<'listForms'> = async (ctx) => {
  const data = await formBodies(ctx, await signUpFormsOf(ctx.db, ctx.workspaceId))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
