/** GET /forms/{id}: a form with its address and its embed code. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { formWithWorkspace } from '../../db/forms/sign-up-forms.ts'
import { formBody } from './form-body.ts'
import type { FormContext } from './form-body.ts'
import { readFormId } from './form-id.ts'

export async function getForm(ctx: FormContext, { params }: Pick<InputOf<'getForm'>, 'params'>): Promise<AnswerOf<'getForm'>> {
  const row = await formWithWorkspace(ctx.db, ctx.workspaceId, ownFormId(ctx, params.id))
  if (!row) throw new ApiError('not_found')
  return { body: await formBody(ctx, row) }
}

/** The form's own part of its identifier; a form of another workspace is not found. */
export function ownFormId({ workspaceId }: Pick<FormContext, 'workspaceId'>, text: string): string {
  const place = readFormId(text)
  if (place?.workspaceId !== workspaceId) throw new ApiError('not_found')
  return place.id
}
