/**
 * Defines our own mails, such as confirmations and notices, and the page and the signature that
 * they share.
 */
import { escapeHtml } from '../merge/render-inline.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

export interface OwnMail {
  subject: string
  text: string
  html: string
}

/** The workspace that a mail is from, line by line. */
export const signatureOf = (mail: {
  workspaceName: string
  postalAddress: string | null
}): string[] => [mail.workspaceName, ...(mail.postalAddress?.split('\n') ?? [])]

/** The plain part: paragraphs, and the signature below its usual line (RFC 3676 4.3). */
export const plainMail = (paragraphs: string[], signature: string[]): string =>
  `${[...paragraphs, ['-- ', ...signature].join('\n')].join('\n\n').trimEnd()}\n`

/** The HTML part, of a body that is markup already. */
export const mailPage = (
  language: RecipientLanguage,
  { subject, style, body }: { subject: string; style: string; body: string },
): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${style}">
${body}
</body>
</html>
`
