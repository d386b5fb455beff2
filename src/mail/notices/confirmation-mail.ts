/**
 * The mail that asks a subscriber to confirm: in each language of recipients, plain and HTML,
 * without any text from the sign-up form.
 */
import type { FormMail } from '../../contract/workspace/forms.ts'
import { escapeHtml } from '../merge/render-inline.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'
import { fill } from '../../ground/texts/texts.ts'
import { mailPage, plainMail, signatureOf, type OwnMail } from './own-mail.ts'

/**
 * `link` is ours: an address without characters that HTML would escape. `words`: the workspace's
 * own, in place of ours. Advice for an unwanted mail, the link and the sender are always part of
 * it.
 */
export function writeConfirmationMail(
  language: RecipientLanguage,
  mail: {
    workspaceName: string
    postalAddress: string | null
    link: string
    words?: FormMail | null
  },
): OwnMail {
  const { workspaceName, link, words: own } = mail
  const { press, ignore, ...ours } = recipientTexts[language].confirmationMail
  const subject = own?.subject ?? fill(ours.subject, { workspace: workspaceName })
  const requested = own?.text ?? fill(ours.asked, { workspace: workspaceName })
  const button = own?.button ?? ours.button
  const signature = signatureOf(mail)
  return {
    subject,
    text: plainMail([requested, press, link, ignore], signature),
    html: mailPage(language, {
      subject,
      style: 'margin:0;padding:0',
      body: `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px"><tr>
<td style="font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px">
<p style="margin:0 0 16px">${escapeHtml(requested).replaceAll('\n', '<br>')}</p>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr>
<td style="background-color:#1a56db;border-radius:6px"><a href="${link}" style="display:inline-block;padding:12px 24px;color:#ffffff;font-weight:bold;text-decoration:none">${escapeHtml(button)}</a></td>
</tr></table>
<p style="margin:0 0 16px">${escapeHtml(press)}<br><a href="${link}" style="word-break:break-all">${link}</a></p>
<p style="margin:0 0 24px">${escapeHtml(ignore)}</p>
<p style="margin:0;font-size:13px;line-height:20px">${signature.map(escapeHtml).join('<br>')}</p>
</td></tr></table>
</td></tr></table>`,
    }),
  }
}
