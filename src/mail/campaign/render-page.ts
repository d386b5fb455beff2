/**
 * Renders the whole page around an author's content: head, preheader, a card of 600 pixels, footer,
 * open pixel.
 */
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import { bareTable, mailStyle, styleSheet } from './mail-style.ts'
import { escapeHtml } from '../merge/render-inline.ts'
import { hasMark, writeMark } from '../merge/slots.ts'

export interface PageToRender {
  language: RecipientLanguage
  /** Marked. */
  subject: string
  /** Marked; null for none. */
  preheader: string | null
  /** Rows, as `renderBlocks` answers them. */
  rows: string
  /** As `footerHtml` answers it. */
  footer: string
}

export function renderPage({ language, subject, preheader, rows, footer }: PageToRender): string {
  const font = `font-family:${mailStyle.font};font-size:16px;line-height:1.5;color:${mailStyle.text}`
  const card = `width:100%;max-width:${mailStyle.width}px;background:${mailStyle.card}`
  return `<!DOCTYPE html>
<html lang="${language}" dir="ltr">
<head>
${headStart(subject)}
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
${outlookHead}
<style>
${styleSheet}
</style>
</head>
<body class="f-page" style="margin:0;padding:0;background:${mailStyle.page}">
${preheaderHtml(preheader)}<table role="presentation" class="f-page" width="100%" ${bareTable} bgcolor="${mailStyle.page}" style="background:${mailStyle.page}">
<tr><td class="f-outer" align="center" style="padding:24px 0">
<!--[if mso]><table role="presentation" width="${mailStyle.width}" ${bareTable}><tr><td><![endif]-->
<table role="presentation" class="f-card" width="100%" ${bareTable} bgcolor="${mailStyle.card}" style="${card}">
<tr><td class="f-text" style="${font};overflow-wrap:anywhere;word-break:break-word;padding:32px 0 12px">
<table role="presentation" width="100%" ${bareTable}>
${rows}</table>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
${footer}</td></tr></table>
${pixelHtml}
</body>
</html>
`
}

/** The beginning of any mail's head, an author's own too. */
export const headStart = (
  subject: string,
): string => `<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(subject)}</title>`

/**
 * Outlook on Windows: pictures at their own size on dense screens, and a font and size that also
 * apply in tables.
 */
const outlookHead =
  '<!--[if mso]><xml><o:OfficeDocumentSettings xmlns:o="urn:schemas-microsoft-com:office:office"><o:PixelsPerInch>96' +
  '</o:PixelsPerInch></o:OfficeDocumentSettings></xml>\n' +
  '<style>td,p,a,li,h1,h2,h3{font-family:Arial,sans-serif!important}td,p,li{font-size:16px;line-height:24px}</style><![endif]-->'

/**
 * The text that lists of mails show behind the subject, padded so that the first words of the mail
 * do not follow it there.
 */
export function preheaderHtml(preheader: string | null): string {
  if (preheader === null || (preheader.trim() === '' && !hasMark(preheader))) return ''
  const style = 'display:none;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all'
  return `<div class="f-preheader" style="${style}">${escapeHtml(preheader)}${'&nbsp;&zwnj;'.repeat(40)}</div>\n`
}

/** Nothing where opens are not tracked. */
export const pixelHtml = writeMark({ kind: 'pixel' })
