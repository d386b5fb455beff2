/** POST /forms: creates a sign-up form; its page is open at once. */
import { formBody } from './form-body.ts'
import { validateColours } from './form-colours.ts'
import { makeForm } from './make-form.ts'
import { readForm } from './read-form.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`, also when the workspace has too many fields. */
export const createForm: Verb<'createForm'> = async (ctx, { body }) => {
  const form = readForm(body)
  if (form.colours) validateColours(form.colours)
  return { body: await formBody(ctx, await makeForm(ctx, { workspaceId: ctx.workspaceId, form })) }
}
