/** POST /forms: creates a sign-up form; its page is open at once. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { Context } from '../context.ts'
import type { Actor } from '../audit/record-audit-entry.ts'
import { formBody } from './form-body.ts'
import { validateColours } from './form-colours.ts'
import { makeForm } from './make-form.ts'
import { readForm } from './read-form.ts'

/** Throws `validation_error`, also when the workspace has too many fields. */
export async function createForm(
  ctx: Pick<Context, 'db' | 'settings'> & Actor,
  { body }: Pick<InputOf<'createForm'>, 'body'>,
): Promise<AnswerOf<'createForm'>> {
  const form = readForm(body)
  if (form.colours) validateColours(form.colours)
  return { body: await formBody(ctx, await makeForm(ctx, ctx.workspaceId, form)) }
}
