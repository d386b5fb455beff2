/** Makes a form by which people sign up with a workspace. */
import { insertSignUpForm } from '../../db/sign-up-forms.ts'
import type { FormAsk, SignUpFormRow } from '../../db/sign-up-forms.ts'
import { makeTags } from '../../db/subscriber-fields.ts'
import type { Context } from '../context.ts'
import { defineFields } from '../subscribers/define-fields.ts'

/** What its author gives; the words come checked from the door. */
export interface NewForm {
  /** The heading of its page. */
  name: string
  intro: string | null
  /** What a visitor agrees to; null is ours. */
  consent: string | null
  asks: FormAsk[]
  tags: string[]
}

/** What it asks and gives exists from then on; throws `validation_error` where the workspace has no room for its fields. */
export function createForm(ctx: Pick<Context, 'db' | 'makeId'>, workspaceId: number, form: NewForm): Promise<SignUpFormRow> {
  const keys = form.asks.flatMap(({ field }) => (field.startsWith('fields.') ? [field.slice('fields.'.length)] : []))
  return ctx.db.transaction(async (tx) => {
    await defineFields(tx, workspaceId, keys)
    if (form.tags.length > 0) await makeTags(tx, workspaceId, form.tags)
    return insertSignUpForm(tx, workspaceId, { id: ctx.makeId(), ...form })
  })
}
