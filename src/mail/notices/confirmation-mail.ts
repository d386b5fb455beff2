/**
 * The mail that asks a subscriber to confirm: in French and English, plain and HTML, without any text from the
 * sign-up form.
 */
import type { FormMail } from '../../contract/workspace/forms.ts'
import { fill, texts } from '../../texts/texts.ts'
import type { Language } from '../../texts/texts.ts'

export interface ConfirmationMail {
  subject: string
  text: string
  html: string
}

/**
 * `link` is ours: an address without characters that HTML would escape. `words`: the workspace's own, in place of
 * ours. Advice for an unwanted mail, the link and the sender are always part of it.
 */
export function writeConfirmationMail(
  language: Language,
  mail: { workspaceName: string; postalAddress: string | null; link: string; words?: FormMail | null },
): ConfirmationMail {
  const { workspaceName, postalAddress, link, words: own } = mail
  const { press, ignore, ...ours } = texts[language].confirmationMail
  const subject = own?.subject ?? fill(ours.subject, { workspace: workspaceName })
  const asked = own?.text ?? fill(ours.asked, { workspace: workspaceName })
  const button = own?.button ?? ours.button
  const address = postalAddress?.split('\n') ?? []
  return {
    subject,
    text: [asked, press, link, ignore, ['-- ', workspaceName, ...address].join('\n'), ''].join('\n\n').trimEnd() + '\n',
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(subject)}</title>
</head>
<body style="margin:0;padding:0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px"><tr>
<td style="font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px">
<p style="margin:0 0 16px">${escape(asked).replaceAll('\n', '<br>')}</p>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px"><tr>
<td style="background-color:#1a56db;border-radius:6px"><a href="${link}" style="display:inline-block;padding:12px 24px;color:#ffffff;font-weight:bold;text-decoration:none">${escape(button)}</a></td>
</tr></table>
<p style="margin:0 0 16px">${escape(press)}<br><a href="${link}" style="word-break:break-all">${link}</a></p>
<p style="margin:0 0 24px">${escape(ignore)}</p>
<p style="margin:0;font-size:13px;line-height:20px">${[workspaceName, ...address].map(escape).join('<br>')}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`,
  }
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
