/** What the public pages say, in both languages. */
import type { Language } from '../../../contract/errors.ts'
import { formTexts } from '../../../core/forms/form-texts.ts'
import type { FormTexts } from '../../../core/forms/form-texts.ts'

export interface Texts extends FormTexts {
  notValid: string
  notValidLead: string
  tooMany: string
  tooManyLead: string
  failed: string
  failedLead: string

  confirm: string
  /** What the person agrees to by the button; kept as evidence. */
  confirmLead: (workspace: string, email: string) => string
  confirmButton: string
  confirmNotYou: string
  confirmed: string
  confirmedLead: (workspace: string, email: string) => string
  expired: string
  expiredLead: string

  unsubscribe: string
  unsubscribeLead: (workspace: string, email: string) => string
  unsubscribeButton: string
  unsubscribed: string
  unsubscribedLead: (workspace: string, email: string) => string
  comeBack: string
  comeBackLink: string

  checkOnce: string
  problems: string
  taken: string
  takenLead: (workspace: string) => string
  takenNothing: string
  closed: string
  closedLead: string
}

const fr: Texts = {
  ...formTexts.fr,
  notValid: "Ce lien n'est pas valable",
  notValidLead:
    'Il est peut-être incomplet : ouvrez-le directement depuis votre e-mail, ou copiez son adresse en entier dans le navigateur.',
  tooMany: 'Trop de demandes',
  tooManyLead: 'Patientez un peu, puis réessayez.',
  failed: "Quelque chose n'a pas fonctionné",
  failedLead: 'Cela vient de nous. Réessayez dans quelques minutes.',

  confirm: 'Confirmez votre inscription',
  confirmLead: (workspace, email) => `${workspace} vous demande si vous voulez recevoir ses e-mails à l'adresse ${email}.`,
  confirmButton: 'Oui, je veux les recevoir',
  confirmNotYou: "Vous n'avez rien demandé ? Fermez cette page : sans ce bouton, rien ne vous sera envoyé.",
  confirmed: 'Votre inscription est confirmée',
  confirmedLead: (workspace, email) => `Vous recevrez les e-mails de ${workspace} à l'adresse ${email}.`,
  expired: "Ce lien n'est plus valable",
  expiredLead: 'Il a servi ou il est trop ancien. Si vous souhaitez toujours vous inscrire, demandez un nouveau lien.',

  unsubscribe: 'Se désinscrire',
  unsubscribeLead: (workspace, email) => `L'adresse ${email} ne recevra plus d'e-mails de ${workspace}.`,
  unsubscribeButton: 'Me désinscrire',
  unsubscribed: "C'est fait, vous êtes désinscrit(e)",
  unsubscribedLead: (workspace, email) => `L'adresse ${email} ne recevra plus d'e-mails de ${workspace}.`,
  comeBack: "C'était une erreur ?",
  comeBackLink: "S'inscrire de nouveau",

  checkOnce: 'Vérifiez ce qui suit, puis appuyez sur le bouton pour vous inscrire.',
  problems: 'Corrigez ce qui est signalé, puis recommencez.',
  taken: 'Regardez votre boîte de réception',
  takenLead: (workspace) =>
    `Pour terminer, ouvrez l'e-mail que ${workspace} vous envoie et confirmez votre inscription. Il arrive d'habitude en quelques minutes.`,
  takenNothing:
    "Rien n'est arrivé ? Regardez parmi les indésirables. Si un lien vous a déjà été envoyé aujourd'hui, c'est celui-là qui sert.",
  closed: 'Les inscriptions sont fermées',
  closedLead: "Ce formulaire n'est pas ouvert en ce moment.",
}

const en: Texts = {
  ...formTexts.en,
  notValid: 'This link is not valid',
  notValidLead: 'It may be incomplete: open it straight from your e-mail, or copy its whole address into the browser.',
  tooMany: 'Too many requests',
  tooManyLead: 'Wait a little, then try again.',
  failed: 'Something went wrong',
  failedLead: 'It is our fault. Try again in a few minutes.',

  confirm: 'Confirm your subscription',
  confirmLead: (workspace, email) => `${workspace} asks whether you want to receive its e-mails at ${email}.`,
  confirmButton: 'Yes, I want to receive them',
  confirmNotYou: 'You did not ask for this? Close this page: without the button, nothing will be sent to you.',
  confirmed: 'Your subscription is confirmed',
  confirmedLead: (workspace, email) => `You will receive the e-mails of ${workspace} at ${email}.`,
  expired: 'This link is no longer valid',
  expiredLead: 'It has been used or is too old. If you still want to subscribe, ask for a new link.',

  unsubscribe: 'Unsubscribe',
  unsubscribeLead: (workspace, email) => `${email} will receive no more e-mails from ${workspace}.`,
  unsubscribeButton: 'Unsubscribe me',
  unsubscribed: 'Done: you are unsubscribed',
  unsubscribedLead: (workspace, email) => `${email} will receive no more e-mails from ${workspace}.`,
  comeBack: 'Was it a mistake?',
  comeBackLink: 'Subscribe again',

  checkOnce: 'Check what follows, then press the button to subscribe.',
  problems: 'Correct what is marked, then try again.',
  taken: 'Look into your inbox',
  takenLead: (workspace) =>
    `To finish, open the e-mail that ${workspace} is sending you and confirm your subscription. It usually arrives within minutes.`,
  takenNothing: 'Nothing came? Look among the junk mail. If a link was already sent to you today, that one serves.',
  closed: 'Subscriptions are closed',
  closedLead: 'This form is not open at the moment.',
}

export const texts: Record<Language, Texts> = { fr, en }
