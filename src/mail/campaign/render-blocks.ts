/**
 * Renders blocks as table rows: the HTML that every mail client lays out alike, Outlook on Windows
 * included.
 */
import type { Block, BlockOf } from '../merge/campaign-source.ts'
import { readInline, type InlineSyntax } from '../merge/inline-text.ts'
import { bareTable, mailStyle, textColorOn } from './mail-style.ts'
import type { MarkTable } from '../merge/mark-table.ts'
import { escapeHtml, inlineHtml } from '../merge/render-inline.ts'
import { sanitiseFragment } from '../html/sanitise-html.ts'

/** The surroundings of a block. */
export interface BlockContext {
  table: MarkTable
  syntax: InlineSyntax
  /** The width of the block's content, in pixels. */
  width: number
  /** The padding on each side, in pixels. */
  padding: number
}

/** One or several `<tr>` of a table with one column. */
export const renderBlocks = (blocks: readonly Block[], context: BlockContext): string =>
  blocks.map((block) => renderBlock(block, context)).join('')

function renderBlock(block: Block, context: BlockContext): string {
  switch (block.type) {
    case 'heading':
      return row(block, context, heading(block, context))
    case 'paragraph':
      return row(
        block,
        context,
        `<p class="f-text" style="margin:0;color:${block.color ?? mailStyle.text}">${inside(block.text, context)}</p>`,
      )
    case 'image':
      return row(block, context, image(block, context))
    case 'button':
      return row(block, context, button(block, context))
    case 'divider':
      return row(block, context, divider(block))
    case 'list':
      return row(block, context, list(block, context))
    case 'quote':
      return row(block, context, quote(block, context))
    case 'spacer':
      return `<tr><td height="${block.height}" style="height:${block.height}px;font-size:0;line-height:0">&nbsp;</td></tr>\n`
    case 'html':
      return row(block, context, sanitiseFragment(block.html, context.table))
    case 'columns':
      return columns(block, context)
  }
}

function row({ align }: Block, { padding }: BlockContext, content: string): string {
  const side = align ?? 'left'
  const style = `padding:0 ${padding}px 20px;text-align:${side}`
  return `<tr><td class="f-pad" align="${side}" style="${style}">${content}</td></tr>\n`
}

const linkStyle = `color:${mailStyle.link};text-decoration:underline`

const inside = (text: string, { table, syntax }: BlockContext): string =>
  inlineHtml(readInline(table.markTags(text), syntax, table), linkStyle)

const headingSizes = [28, 22, 18]

function heading({ text, level, color }: BlockOf<'heading'>, context: BlockContext): string {
  const style = `margin:0;font-size:${headingSizes[level - 1] ?? 16}px;line-height:1.3;font-weight:700;color:${color ?? mailStyle.text}`
  return `<h${level} class="f-text" style="${style}">${inside(text, context)}</h${level}>`
}

/** `width` as an attribute is for Outlook, which knows no max-width. */
function image(
  { src, alt, href, width }: BlockOf<'image'>,
  { table, width: room }: BlockContext,
): string {
  const pixels = Math.min(width ?? room, room)
  const address = escapeHtml(table.imageAt(table.markTags(src), alt) ?? '')
  const style = `display:inline-block;width:100%;max-width:${pixels}px;height:auto;vertical-align:bottom`
  const picture = `<img src="${address}" alt="${escapeHtml(table.markTags(alt ?? ''))}" width="${pixels}" style="${style}">`
  const to = href === null ? null : table.linkTo(table.markTags(href))
  return to === null
    ? picture
    : `<a class="f-link" href="${escapeHtml(to)}" style="${linkStyle}">${picture}</a>`
}

/**
 * The cell carries colour and, for Outlook, which pads no link, the padding; elsewhere the link
 * itself can be hit everywhere.
 */
function button(
  { text, href, align, color, background }: BlockOf<'button'>,
  { table }: BlockContext,
): string {
  const ground = background ?? mailStyle.button
  const to = escapeHtml(table.linkTo(table.markTags(href)) ?? '')
  const style =
    `display:inline-block;padding:12px 24px;mso-padding-alt:0;color:${color ?? textColorOn(ground)};font-weight:700;` +
    'line-height:1.25;text-decoration:none;border-radius:6px'
  const cell = `<td align="center" bgcolor="${ground}" style="background:${ground};border-radius:6px;mso-padding-alt:12px 24px">`
  const label = escapeHtml(table.markTags(text))
  const side = align === null || align === 'left' ? '' : ` align="${align}"`
  return `<table role="presentation"${side} ${bareTable}><tr>${cell}<a href="${to}" style="${style}">${label}</a></td></tr></table>`
}

function divider({ color }: BlockOf<'divider'>): string {
  const style = `border-top:1px solid ${color ?? mailStyle.line};font-size:0;line-height:0`
  return `<table role="presentation" width="100%" ${bareTable}><tr><td${color === null ? ' class="f-line"' : ''} height="1" style="${style}">&nbsp;</td></tr></table>`
}

function list({ items, ordered, color }: BlockOf<'list'>, context: BlockContext): string {
  const name = ordered ? 'ol' : 'ul'
  const entries = items
    .map((item) => `<li style="margin:0 0 6px">${inside(item, context)}</li>`)
    .join('')
  return `<${name} class="f-text" style="margin:0;padding:0 0 0 26px;color:${color ?? mailStyle.text};text-align:left">${entries}</${name}>`
}

function quote({ text, color }: BlockOf<'quote'>, context: BlockContext): string {
  const style = `border-left:4px solid ${mailStyle.line};padding:2px 0 2px 16px;font-style:italic;color:${color ?? mailStyle.text}`
  const cell = `<td class="f-text f-line" style="${style}">${inside(text, context)}</td>`
  return `<table role="presentation" width="100%" ${bareTable}><tr>${cell}</tr></table>`
}

/**
 * Blocks beside each other that slide below each other where there is no room; Outlook gets a table
 * with fixed cells.
 */
function columns({ columns: all }: BlockOf<'columns'>, context: BlockContext): string {
  const gap = 8
  const padding = context.padding - gap
  const width = Math.floor((context.width + 2 * gap) / all.length)
  const cells = all.map((blocks, i) => {
    const rows = renderBlocks(blocks, { ...context, width: width - 2 * gap, padding: gap })
    const outlook = `<!--[if mso]>${i === 0 ? `<table role="presentation" ${bareTable}><tr>` : '</td>'}<td width="${width}" valign="top"><![endif]-->`
    const style = `display:inline-block;width:100%;max-width:${width}px;vertical-align:top`
    const table = `<table role="presentation" width="100%" ${bareTable} style="font-size:16px">\n${rows}</table>`
    return `${outlook}<div class="f-column" style="${style}">${table}</div>`
  })
  const style = `padding:0 ${padding}px;font-size:0;text-align:left`
  return `<tr><td class="f-columns" align="left" style="${style}">${cells.join('')}<!--[if mso]></td></tr></table><![endif]--></td></tr>\n`
}
