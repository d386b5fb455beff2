/**
 * The footer of every campaign: the sender's name and address and the unsubscribe link; adds the
 * parts that the author left out, never twice.
 */
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'
import { fill } from '../../ground/texts/texts.ts'
import type { WorkspaceInMail } from '../merge/compiled-campaign.ts'
import { mailStyle } from './mail-style.ts'
import { escapeHtml } from '../merge/render-inline.ts'
import { withoutMarks, writeMark } from '../merge/slots.ts'

export interface Footer {
  workspace: Pick<WorkspaceInMail, 'name' | 'postalAddress'>
  language: RecipientLanguage
  /** The parts that the content has already. */
  has: { unsubscribe: boolean; view: boolean; sender: boolean }
}

/**
 * A table, to be put below the content; empty when nothing is missing. `color` is that of its
 * words.
 */
export function footerHtml(footer: Footer, color: string): string {
  const sender = senderLines(footer).map(escapeHtml).join('<br>\n')
  const links = missingLinks(footer)
    .map(
      ({ label, to }) =>
        `<a href="${to}" style="color:${color};text-decoration:underline">${label}</a>`,
    )
    .join(' &nbsp;·&nbsp; ')
  const content = [sender, links].filter((part) => part !== '').join('<br>\n')
  if (content === '') return ''
  const style = `padding:20px 24px;font-family:${mailStyle.font};font-size:12px;line-height:1.6;text-align:center;color:${color}`
  return (
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">' +
    `<tr><td class="f-footer" align="center" style="${style}">\n${content}\n</td></tr></table>\n`
  )
}

/** Behind `-- `, as signatures are (RFC 3676 4.3); empty when nothing is missing. */
export function footerText(footer: Footer): string {
  const links = missingLinks(footer).map((link) =>
    fill(recipientTexts[footer.language].mailFooter.link, link),
  )
  const lines = [...senderLines(footer), ...links]
  return lines.length === 0 ? '' : `-- \n${lines.join('\n')}\n`
}

function senderLines({ workspace, language, has }: Footer): string[] {
  if (has.sender) return []
  const address = withoutMarks(workspace.postalAddress ?? '').split(/\r\n?|\n/)
  const lines = [
    fill(recipientTexts[language].mailFooter.from, { workspace: withoutMarks(workspace.name) }),
    ...address.map((line) => line.trim()),
  ]
  return lines.filter((line) => line !== '')
}

function missingLinks({ language, has }: Footer): Array<{ label: string; to: string }> {
  const { unsubscribe, view } = recipientTexts[language].mailFooter
  return [
    ...(has.unsubscribe ? [] : [{ label: unsubscribe, to: writeMark({ kind: 'unsubscribe' }) }]),
    ...(has.view ? [] : [{ label: view, to: writeMark({ kind: 'view' }) }]),
  ]
}
