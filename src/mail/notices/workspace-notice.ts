/** A notice to a workspace about itself: a subject and a few paragraphs, plain and HTML, in French or English. */
import { fill, texts } from '../../texts/texts.ts'
import type { Language } from '../../texts/texts.ts'

export interface WorkspaceNotice {
  subject: string
  text: string
  html: string
}

/** Text stays text: a paragraph may quote a mail server's answer. */
export function writeWorkspaceNotice(
  language: Language,
  notice: {
    workspaceName: string
    postalAddress: string | null
    subject: string
    paragraphs: string[]
    /** Stands below the paragraphs. */
    link?: { text: string; url: string }
  },
): WorkspaceNotice {
  const { workspaceName, postalAddress, paragraphs, link } = notice
  const subject = fill(texts[language].notice.subject, { workspace: workspaceName, subject: notice.subject })
  const signature = [workspaceName, ...(postalAddress?.split('\n') ?? [])]
  return {
    subject,
    text: `${[...paragraphs, ...(link ? [`${link.text}:\n${link.url}`] : []), ['-- ', ...signature].join('\n')].join('\n\n').trimEnd()}\n`,
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escape(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;font-family:Arial,Helvetica,sans-serif;font-size:16px;line-height:24px">
${paragraphs.map((paragraph) => `<p style="margin:0 0 16px;max-width:520px">${escape(paragraph).replaceAll('\n', '<br>')}</p>`).join('\n')}${link ? `\n<p style="margin:0 0 24px"><a href="${escape(link.url)}" style="font-weight:bold">${escape(link.text)}</a></p>` : ''}
<p style="margin:0;font-size:13px;line-height:20px">${signature.map(escape).join('<br>')}</p>
</body>
</html>
`,
  }
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
