/** Writes the mails that carry one of our links. */
import { fill, texts, type Language, type Texts } from '../../texts/texts.ts'

/** The facts about a link that its mail names. */
export type LinkMail =
  | { kind: 'invitation'; workspaceName: string; invitedBy: string | null; url: string }
  | { kind: 'reset'; url: string }
  | { kind: 'factor_removed'; url: string }

/** `action`: the effect of the link. */
type LinkTexts = Texts['passwordReset']

export function userLinkTexts(language: Language, mail: LinkMail): LinkTexts {
  const { invitation, passwordReset, factorRemoved } = texts[language]
  if (mail.kind === 'reset') return passwordReset
  if (mail.kind === 'factor_removed') return factorRemoved
  const { subject, paragraphs, action, operator } = invitation
  const values = { workspace: mail.workspaceName, inviter: mail.invitedBy ?? operator }
  return { subject, paragraphs: paragraphs.map((paragraph) => fill(paragraph, values)), action }
}
