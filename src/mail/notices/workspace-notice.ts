/**
 * A notice to a workspace about itself: a subject and a few paragraphs, plain and HTML, in French
 * or English.
 */
import { escapeHtml } from '../merge/render-inline.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'
import { fill } from '../../ground/texts/texts.ts'
import { mailPage, plainMail, signatureOf, type OwnMail } from './own-mail.ts'

/** Text stays text: a paragraph may quote a mail server's answer. */
export function writeWorkspaceNotice(
  language: RecipientLanguage,
  notice: {
    workspaceName: string
    postalAddress: string | null
    subject: string
    paragraphs: string[]
    /** Stands below the paragraphs. */
    link?: { text: string; url: string }
  },
): OwnMail {
  const { workspaceName, paragraphs, link } = notice
  const subject = fill(recipientTexts[language].notice.subject, {
    workspace: workspaceName,
    subject: notice.subject,
  })
  const signature = signatureOf(notice)
  return {
    subject,
    text: plainMail([...paragraphs, ...(link ? [`${link.text}:\n${link.url}`] : [])], signature),
    html: mailPage(language, {
      subject,
      style:
        'margin:0;padding:24px 16px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px',
      body: `${paragraphs.map((paragraph) => `<p style="margin:0 0 16px;max-width:520px">${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`).join('\n')}${link ? `\n<p style="margin:0 0 24px"><a href="${escapeHtml(link.url)}" style="font-weight:bold">${escapeHtml(link.text)}</a></p>` : ''}
<p style="margin:0;font-size:13px;line-height:20px">${signature.map(escapeHtml).join('<br>')}</p>`,
    }),
  }
}
