/** Renders blocks as plain text, for the text part of a mail. */
import type { Block } from '../merge/campaign-source.ts'
import { htmlToPlain } from '../html/html-to-plain.ts'
import { readInline } from '../merge/inline-text.ts'
import { inlineText } from '../merge/render-inline.ts'
import type { BlockContext } from './render-blocks.ts'
import { sanitiseFragment } from '../html/sanitise-html.ts'

type PlainContext = Pick<BlockContext, 'table' | 'syntax'>

/** Marked text; blank lines between blocks, a line feed at the end of what is not empty. */
export function renderPlain(blocks: readonly Block[], context: PlainContext): string {
  const parts = blocks
    .map((block) => plainBlock(block, context).trimEnd())
    .filter((part) => part !== '')
  return parts.length === 0 ? '' : `${parts.join('\n\n')}\n`
}

function plainBlock(block: Block, context: PlainContext): string {
  const { table } = context
  switch (block.type) {
    case 'heading': {
      const text = inside(block.text, context)
      return block.level === 1 ? `${text}\n${'-'.repeat(Math.min(60, text.length))}` : text
    }
    case 'paragraph':
      return inside(block.text, context)
    case 'image': {
      const to = block.href === null ? null : table.linkTo(table.markTags(block.href))
      return [block.alt ? `[${table.markTags(block.alt)}]` : '', to ?? '']
        .filter((part) => part !== '')
        .join(' ')
    }
    case 'button':
      return `${table.markTags(block.text)}: ${table.linkTo(table.markTags(block.href)) ?? ''}`
    case 'divider':
      return '-'.repeat(60)
    case 'list':
      return block.items
        .map((item, i) => indent(inside(item, context), block.ordered ? `${i + 1}. ` : '- '))
        .join('\n')
    case 'quote':
      return inside(block.text, context).replace(/^/gm, '> ')
    case 'spacer':
      return ''
    case 'html':
      return htmlToPlain(sanitiseFragment(block.html, table))
    case 'columns':
      return renderPlain(block.columns.flat(), context)
  }
}

const inside = (text: string, { table, syntax }: PlainContext): string =>
  inlineText(readInline(table.markTags(text), syntax, table))

const indent = (text: string, first: string): string =>
  first + text.replaceAll('\n', `\n${' '.repeat(first.length)}`)
