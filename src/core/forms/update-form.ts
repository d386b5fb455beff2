/** PATCH /forms/{id}: changes the given values, including whether the form is open. */
import { ApiError, existing } from '../../contract/errors.ts'
import {
  lockSignUpForm,
  writeSignUpForm,
  type SignUpFormRow,
} from '../../db/forms/sign-up-forms.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { formBody } from './form-body.ts'
import { validateColours } from './form-colours.ts'
import { ownFormId } from './get-form.ts'
import { defineWhatItNames } from './make-form.ts'
import { readForm } from './read-form.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`. */
export const updateForm: Verb<'updateForm'> = async (ctx, { params, body }) => {
  const { workspaceId } = ctx
  const id = ownFormId(ctx, params.id)
  const row = await ctx.db.transaction(async (tx) => {
    const before = existing(await lockSignUpForm(tx, workspaceId, id))
    const { thanksUrl: thanks_url, confirmedUrl: confirmed_url } = before
    const form = readForm({ ...before, thanks_url, confirmed_url, ...body })
    if (body.colours) validateColours(body.colours)
    await defineWhatItNames(tx, workspaceId, form)
    const after: SignUpFormRow = { ...before, ...form, enabled: body.enabled ?? before.enabled }
    await writeSignUpForm(tx, workspaceId, after)
    await recordAuditEntry(tx, ctx, {
      act: 'form.changed',
      subject: after.name,
      details: { enabled: after.enabled },
    })
    return lockSignUpForm(tx, workspaceId, id)
  })
  if (!row) throw new ApiError('not_found')
  return { body: await formBody(ctx, row) }
}
