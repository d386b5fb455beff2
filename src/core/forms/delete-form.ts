/**
 * DELETE /forms/{id}: deletes the form and its page. Its subscribers stay, with their consent
 * texts; sent confirmation mails still work.
 */
import { existing } from '../../contract/errors.ts'
import { deleteSignUpForm, lockSignUpForm } from '../../db/forms/sign-up-forms.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { ownFormId } from './get-form.ts'
import type { Verb } from '../verb.ts'

/** Sign-ups that no worker has handled yet still get a confirmation mail, with our default text. */
export const deleteForm: Verb<'deleteForm'> = (ctx, { params }) => {
  const { workspaceId } = ctx
  const id = ownFormId(ctx, params.id)
  return ctx.db.transaction(async (tx) => {
    const form = existing(await lockSignUpForm(tx, workspaceId, id))
    await deleteSignUpForm(tx, workspaceId, id)
    await recordAuditEntry(tx, ctx, { act: 'form.deleted', subject: form.name })
    return { body: { object: 'form', id: params.id, deleted: true } }
  })
}
