/** GET /forms: all forms of the workspace. */
import type { AnswerOf } from '../../contract/operations.ts'
import { signUpFormsOf } from '../../db/forms/sign-up-forms.ts'
import { formBodies } from './form-body.ts'
import type { FormContext } from './form-body.ts'

export async function listForms(ctx: FormContext): Promise<AnswerOf<'listForms'>> {
  const data = await formBodies(ctx, await signUpFormsOf(ctx.db, ctx.workspaceId))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
