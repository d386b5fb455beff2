/** GET /forms/{id}: a form with its address and its embed code. */
import { ApiError, existing } from '../../contract/errors.ts'
import { formWithWorkspace } from '../../db/forms/sign-up-forms.ts'
import { formBody, type FormContext } from './form-body.ts'
import { readFormId } from '../input/form-id.ts'
import type { Verb } from '../verb.ts'

export const getForm: Verb<'getForm'> = async (ctx, { params }) => {
  const row = existing(await formWithWorkspace(ctx.db, ctx.workspaceId, ownFormId(ctx, params.id)))
  return { body: await formBody(ctx, row) }
}

/** The form's own part of its identifier; a form of another workspace is not found. */
export function ownFormId({ workspaceId }: Pick<FormContext, 'workspaceId'>, text: string): string {
  const key = readFormId(text)
  if (key?.workspaceId !== workspaceId) throw new ApiError('not_found')
  return key.id
}
