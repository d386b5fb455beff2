/** POST /forms: creates a sign-up form; its page is open at once. */
import type { Context } from '../context.ts'
import type { Actor } from '../audit/record-audit-entry.ts'
import { formBody } from './form-body.ts'
import { validateColours } from './form-colours.ts'
import { makeForm } from './make-form.ts'
import { readForm } from './read-form.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`, also when the workspace has too many fields. */
export const createForm: Verb<'createForm', Pick<Context, 'db' | 'settings'> & Actor, 'body'> = async (ctx, { body }) => {
  const form = readForm(body)
  if (form.colours) validateColours(form.colours)
  return { body: await formBody(ctx, await makeForm(ctx, ctx.workspaceId, form)) }
}
