/**
 * The document of TipTap has bold, italic, links, merge tags and line breaks; it converts to our
 * text and back.
 */
import { Node, type Extensions, type JSONContent } from '@tiptap/core'
import { Bold } from '@tiptap/extension-bold'
import { Document } from '@tiptap/extension-document'
import { HardBreak } from '@tiptap/extension-hard-break'
import { Italic } from '@tiptap/extension-italic'
import { Link } from '@tiptap/extension-link'
import { Paragraph } from '@tiptap/extension-paragraph'
import { Text } from '@tiptap/extension-text'
import { UndoRedo } from '@tiptap/extensions'
import { readInline, writeInline, type InlineStyle, type Run } from './inline-format.ts'

/** A merge tag is one piece, which the user inserts, deletes and moves as a whole. */
const MergeTag = Node.create({
  ...{ name: 'mergeTag', group: 'inline', inline: true, atom: true },
  addAttributes: () => ({ source: { default: '' } }),
  parseHTML: () => [
    {
      tag: 'span[data-merge-tag]',
      getAttrs: (span) => ({ source: span.getAttribute('data-merge-tag') }),
    },
  ],
  renderHTML: ({ node }) => [
    'span',
    { 'data-merge-tag': String(node.attrs['source']) },
    nameOf(String(node.attrs['source'])),
  ],
  renderText: ({ node }) => String(node.attrs['source']),
})

const nameOf = (source: string): string =>
  source.replace(/^\{\{\s*|\s*\}\}$/g, '').replace(/\s*\|\s*default:\s*/, ' · ')

/** The undo keys end here even without a step to undo: the browser would undo in another text. */
const OwnUndo = UndoRedo.extend({
  addKeyboardShortcuts() {
    const undo = (): boolean => this.editor.commands.undo() || true
    const redo = (): boolean => this.editor.commands.redo() || true
    return { 'Mod-z': undo, 'Shift-Mod-z': redo, 'Mod-y': redo }
  },
})

/** `isList`: a paragraph for each item; otherwise there is one, and a new line is a break. */
export const extensionsFor = (isList: boolean): Extensions => [
  isList ? Document.extend({ content: 'paragraph+' }) : Document.extend({ content: 'paragraph' }),
  Paragraph.extend({
    addKeyboardShortcuts() {
      return { Enter: () => !isList && this.editor.commands.setHardBreak() }
    },
  }),
  ...[Text, HardBreak, Bold, Italic, MergeTag, OwnUndo],
  // The editor leaves typed addresses as they are; the mail turns them into links by itself.
  Link.configure({
    openOnClick: false,
    autolink: false,
    linkOnPaste: true,
    isAllowedUri: () => true,
  }),
]

export const readLines = (lines: readonly string[]): JSONContent => ({
  type: 'doc',
  content: (lines.length === 0 ? [''] : lines).map((line) => ({
    type: 'paragraph',
    content: readInline(line).flatMap(nodesOf),
  })),
})

function nodesOf(run: Run): JSONContent[] {
  const marks = [
    ...(run.bold ? [{ type: 'bold' }] : []),
    ...(run.italic ? [{ type: 'italic' }] : []),
    ...(run.href === null ? [] : [{ type: 'link', attrs: { href: run.href } }]),
  ]
  if ('tag' in run) return [{ type: 'mergeTag', attrs: { source: run.tag }, marks }]
  return run.text
    .split(/(\n)/)
    .filter((part) => part !== '')
    .map((part) =>
      part === '\n' ? { type: 'hardBreak', marks } : { type: 'text', text: part, marks },
    )
}

export const writeLines = ({ content = [] }: JSONContent): string[] =>
  content.map((paragraph) => writeInline((paragraph.content ?? []).map(runOf)))

function runOf({ type, text = '', attrs = {}, marks = [] }: JSONContent): Run {
  const href: unknown = marks.find((mark) => mark.type === 'link')?.attrs?.['href']
  const style: InlineStyle = {
    bold: marks.some((mark) => mark.type === 'bold'),
    italic: marks.some((mark) => mark.type === 'italic'),
    href: typeof href === 'string' ? href : null,
  }
  if (type === 'mergeTag') return { ...style, tag: String(attrs['source']) }
  return { ...style, text: type === 'hardBreak' ? '\n' : text }
}
