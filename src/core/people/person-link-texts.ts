/** What the mails say that carry one of our links, in both languages. */
import type { LinkMail } from './mail-person-link.ts'

interface Texts {
  subject: string
  paragraphs: string[]
  /** What the link does. */
  action: string
}

export function personLinkTexts(language: 'fr' | 'en', mail: LinkMail): Texts {
  return mail.kind === 'invitation' ? invitationTexts(language, mail) : resetTexts[language]
}

function invitationTexts(language: 'fr' | 'en', { workspaceName, invitedBy }: Extract<LinkMail, { kind: 'invitation' }>): Texts {
  if (language === 'fr')
    return {
      subject: 'vous êtes invité·e',
      paragraphs: [
        `${invitedBy ?? "L'administrateur"} vous invite à rejoindre l'espace de travail « ${workspaceName} ».`,
        "Le lien fonctionne une fois, pendant sept jours. Si vous n'attendiez pas cette invitation, ignorez ce message.",
      ],
      action: "Accepter l'invitation",
    }
  return {
    subject: 'you are invited',
    paragraphs: [
      `${invitedBy ?? 'The operator'} invites you to the workspace "${workspaceName}".`,
      'The link works once, for seven days. If you did not expect this invitation, leave it alone.',
    ],
    action: 'Accept the invitation',
  }
}

const resetTexts: Record<'fr' | 'en', Texts> = {
  fr: {
    subject: 'votre nouveau mot de passe',
    paragraphs: [
      "Quelqu'un, sans doute vous, a demandé un nouveau mot de passe pour cette adresse.",
      "Le lien fonctionne une fois, pendant trente minutes. Si ce n'était pas vous, ignorez ce message : rien n'a changé.",
    ],
    action: 'Choisir un nouveau mot de passe',
  },
  en: {
    subject: 'your new password',
    paragraphs: [
      'Somebody, most likely you, asked for a new password for this address.',
      'The link works once, for thirty minutes. If it was not you, leave this mail alone: nothing has changed.',
    ],
    action: 'Choose a new password',
  },
}
