/** The words of a sign-up form, on its page and in its embed, in both languages. */
import type { Language } from '../../contract/errors.ts'
import type { FieldProblem } from './read-sign-up.ts'
import type { SignUpFormRow } from '../../db/sign-up-forms.ts'

export interface FormTexts {
  email: string
  firstName: string
  lastName: string
  optional: string
  /** What a visitor agrees to where the workspace has no words of its own. */
  consent: (workspace: string) => string
  signUpButton: string
  leaveEmpty: string
  signUpNotice: string
  problem: Record<FieldProblem, string>
}

const fr: FormTexts = {
  email: 'Adresse e-mail',
  firstName: 'Prénom',
  lastName: 'Nom',
  optional: 'facultatif',
  consent: (workspace) =>
    `J'accepte de recevoir les e-mails de ${workspace}. Chacun contient un lien pour me désinscrire à tout moment.`,
  signUpButton: "S'inscrire",
  leaveEmpty: 'Laissez ce champ vide',
  signUpNotice: 'Un e-mail vous sera envoyé pour confirmer votre adresse.',
  problem: {
    address: "Ce n'est pas une adresse e-mail complète, comme nom@exemple.fr.",
    length: 'Ce texte est trop long.',
    characters: "Ce texte contient des caractères qui ne s'affichent pas.",
  },
}

const en: FormTexts = {
  email: 'E-mail address',
  firstName: 'First name',
  lastName: 'Last name',
  optional: 'optional',
  consent: (workspace) =>
    `I agree to receive e-mails from ${workspace}. Each of them has a link by which I can unsubscribe at any time.`,
  signUpButton: 'Subscribe',
  leaveEmpty: 'Leave this field empty',
  signUpNotice: 'An e-mail will be sent to you to confirm your address.',
  problem: {
    address: 'This is not a complete e-mail address such as name@example.com.',
    length: 'This text is too long.',
    characters: 'This text has characters that cannot be shown.',
  },
}

export const formTexts: Record<Language, FormTexts> = { fr, en }

/** What a visitor agrees to by the button: the workspace's words, or ours. */
export const consentOf = (form: Pick<SignUpFormRow, 'consent'>, workspaceName: string, t: FormTexts): string =>
  form.consent ?? t.consent(workspaceName)
