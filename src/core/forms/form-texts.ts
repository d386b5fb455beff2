/** Builds the texts of a sign-up form, for its page and its embed. */
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import type { RecipientTexts } from '../../ground/texts/recipient-texts.ts'
import { fill } from '../../ground/texts/texts.ts'

export type FormTexts = RecipientTexts['form']

/** The consent text next to the button: the workspace's, or ours. */
export const consentOf = (
  form: Pick<SignUpFormRow, 'consent'>,
  workspaceName: string,
  t: FormTexts,
): string => form.consent ?? fill(t.consent, { workspace: workspaceName })
