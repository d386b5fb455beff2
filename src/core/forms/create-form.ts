/** Makes a form by which people sign up with a workspace. */
import { insertSignUpForm } from '../../db/sign-up-forms.ts'
import type { FormAsk, SignUpFormRow } from '../../db/sign-up-forms.ts'
import type { Context } from '../context.ts'

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

export function createForm(ctx: Pick<Context, 'db' | 'makeId'>, workspaceId: number, form: NewForm): Promise<SignUpFormRow> {
  return insertSignUpForm(ctx.db, workspaceId, { id: ctx.makeId(), ...form })
}
