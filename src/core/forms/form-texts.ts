/** The words of a sign-up form, on its page and in its embed. */
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { fill, texts } from '../../texts/texts.ts'
import type { Language, Texts } from '../../texts/texts.ts'

export type FormTexts = Texts['form']

export const formTexts: Record<Language, FormTexts> = { fr: texts.fr.form, en: texts.en.form }

/** What a visitor agrees to by the button: the workspace's words, or ours. */
export const consentOf = (form: Pick<SignUpFormRow, 'consent'>, workspaceName: string, t: FormTexts): string =>
  form.consent ?? fill(t.consent, { workspace: workspaceName })
