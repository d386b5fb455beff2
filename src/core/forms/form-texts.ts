/** Builds the texts of a sign-up form, for its page and its embed. */
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { fill, texts, type Language, type Texts } from '../../ground/texts/texts.ts'

export type FormTexts = Texts['form']

export const formTexts: Record<Language, FormTexts> = { fr: texts.fr.form, en: texts.en.form }

/** The consent text next to the button: the workspace's, or ours. */
export const consentOf = (
  form: Pick<SignUpFormRow, 'consent'>,
  workspaceName: string,
  t: FormTexts,
): string => form.consent ?? fill(t.consent, { workspace: workspaceName })
