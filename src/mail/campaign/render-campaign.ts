/**
 * Renders a campaign's content as one HTML page and one plain text, both with marks: everything
 * that is the same for all recipients.
 */
import type { CampaignToCompile } from '../merge/compiled-campaign.ts'
import type { Block } from '../merge/campaign-source.ts'
import { htmlToPlain } from '../html/html-to-plain.ts'
import type { InlineSyntax } from '../merge/inline-text.ts'
import { footerHtml, footerText, type Footer } from './mail-footer.ts'
import { mailStyle } from './mail-style.ts'
import type { MarkTable } from '../merge/mark-table.ts'
import { renderBlocks } from './render-blocks.ts'
import { headStart, pixelHtml, preheaderHtml, renderPage } from './render-page.ts'
import { renderPlain } from './render-plain.ts'
import { sanitisePage } from '../html/sanitise-html.ts'
import { textBlocks } from './text-blocks.ts'

export interface RenderedCampaign {
  subject: string
  html: string
  text: string
}

export function renderCampaign(campaign: CampaignToCompile, table: MarkTable): RenderedCampaign {
  const subject = table.markTags(campaign.subject)
  const { source } = campaign
  switch (source.kind) {
    case 'text':
      return {
        subject,
        ...renderOwnStyle(campaign, {
          blocks: textBlocks(source.text),
          syntax: 'plain',
          subject,
          table,
        }),
      }
    case 'content':
      return {
        subject,
        ...renderOwnStyle(campaign, { blocks: source.blocks, syntax: 'formatted', subject, table }),
      }
    case 'html':
      return { subject, ...renderAuthorsStyle(campaign, { html: source.html, subject, table }) }
  }
}

interface OwnStyle {
  blocks: readonly Block[]
  syntax: InlineSyntax
  subject: string
  table: MarkTable
}

function renderOwnStyle(
  campaign: CampaignToCompile,
  { blocks, syntax, subject, table }: OwnStyle,
): { html: string; text: string } {
  const width = mailStyle.width - 2 * mailStyle.padding
  const rows = renderBlocks(blocks, { table, syntax, width, padding: mailStyle.padding })
  const footer = footerOf(campaign, table, false)
  const html = renderPage({
    language: campaign.language,
    subject,
    preheader: campaign.preheader === null ? null : table.markTags(campaign.preheader),
    rows,
    footer: footerHtml(footer, mailStyle.footer),
  })
  return { html, text: joinPlain(renderPlain(blocks, { table, syntax }), footerText(footer)) }
}

/** Leaves the author's page unchanged, and adds the missing parts around it. */
function renderAuthorsStyle(
  campaign: CampaignToCompile,
  { html, subject, table }: { html: string; subject: string; table: MarkTable },
): { html: string; text: string } {
  const page = sanitisePage(html, table)
  const words = htmlToPlain(page.body)
  const footer = footerOf(campaign, table, containsAddress(words, campaign.workspace.postalAddress))
  const language = / lang=/.test(page.htmlAttributes) ? '' : ` lang="${campaign.language}"`
  const preheader = preheaderHtml(
    campaign.preheader === null ? null : table.markTags(campaign.preheader),
  )
  const whole = `<!DOCTYPE html>
<html${language}${page.htmlAttributes}>
<head>
${headStart(subject)}
${page.head.trim()}
</head>
<body${page.bodyAttributes}>
${preheader}${page.body.trim()}
${footerHtml(footer, mailStyle.footerAnywhere)}${pixelHtml}
`
  return { html: `${fillUp(whole)}</body>\n</html>\n`, text: joinPlain(words, footerText(footer)) }
}

/**
 * SpamAssassin takes a page of at most 3,200 characters with a picture in it for a mail that says
 * all in the picture (HTML_IMAGE_ONLY_32), and the open pixel is a picture: blanks make a short
 * letter long enough.
 */
function fillUp(page: string): string {
  const missing = 3300 - page.length
  return missing > 0 ? `${page}${`${' '.repeat(70)}\n`.repeat(Math.ceil(missing / 71))}` : page
}

const footerOf = (
  { workspace, language }: CampaignToCompile,
  { leadsTo }: MarkTable,
  sender: boolean,
): Footer => ({
  workspace,
  language,
  has: { ...leadsTo, sender },
})

/** Whether the author wrote the postal address already, however its lines are broken. */
function containsAddress(words: string, postalAddress: string | null): boolean {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  const address = plain(postalAddress ?? '')
  return address !== '' && ` ${plain(words)} `.includes(` ${address} `)
}

const joinPlain = (content: string, footer: string): string =>
  content === '' || footer === '' ? content + footer : `${content}\n${footer}`
