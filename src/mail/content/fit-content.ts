/**
 * Keeps the valid part of an unfinished content for its preview: the whole if it is valid,
 * otherwise the valid blocks.
 */
import type { TypedDraft } from '../../contract/workspace/drafts.ts'
import { isRecord } from '../../ground/read-json.ts'
import { createProblems } from './content-problems.ts'
import { validateBlocks } from './validate-blocks.ts'
import type { ValidContent } from './validate-content.ts'
import { validateHtml, validateTags } from './validate-texts.ts'
import { withoutMarks } from '../merge/slots.ts'

/** The draft's fields as typed, not validated. */
type TypedContent = Pick<TypedDraft, 'kind' | 'subject' | 'preheader' | 'text' | 'content' | 'html'>

export interface FittingContent extends ValidContent {
  /** Blocks, or a whole page, that do not fit. */
  leftOut: number
}

/** Unreadable merge tags stay as typed, so that their author sees where. */
export function fitContent({ subject, preheader, ...typed }: TypedContent): FittingContent {
  const line = (text: string): string => withoutMarks(text).replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return { subject: line(subject), preheader: line(preheader) || null, ...fitSource(typed) }
}

function fitSource(
  typed: Omit<TypedContent, 'subject' | 'preheader'>,
): Pick<FittingContent, 'source' | 'leftOut'> {
  const { kind, text, content, html } = typed
  const problems = createProblems()
  switch (kind) {
    case 'text':
      return { source: { kind, text: validateTags(text, { path: kind }, problems) }, leftOut: 0 }
    case 'content': {
      const fitting = fitBlocks(content)
      const leftOut = countBlocks(content) - countBlocks(fitting)
      return { source: { kind, blocks: validateBlocks(fitting, problems) }, leftOut }
    }
    case 'html': {
      const checked = validateHtml(html, { path: kind }, problems)
      const isFine = problems
        .list()
        .every(({ rule }) => rule === 'merge_tag' || rule === 'template_syntax')
      return { source: { kind, html: isFine ? checked : '' }, leftOut: isFine ? 0 : 1 }
    }
    default:
      return kind satisfies never
  }
}

const columnsOf = (block: unknown): unknown[] | null =>
  isRecord(block) && Array.isArray(block.columns) ? block.columns : null

/** Keeps the valid blocks; of a block with columns, the valid blocks in them. */
function fitBlocks(blocks: readonly unknown[]): unknown[] {
  return blocks.flatMap((block) => {
    const columns = columnsOf(block)
    const fitted =
      columns === null
        ? block
        : {
            ...Object(block),
            columns: columns.map((column) => (Array.isArray(column) ? fitBlocks(column) : [])),
          }
    const problems = createProblems()
    validateBlocks([fitted], problems)
    return problems.list().length === 0 ? [fitted] : []
  })
}

const countBlocks = (blocks: readonly unknown[]): number =>
  blocks.reduce<number>((sum, block) => {
    const columns = columnsOf(block) ?? []
    return (
      sum +
      1 +
      columns.reduce<number>(
        (inner, column) => inner + (Array.isArray(column) ? countBlocks(column) : 0),
        0,
      )
    )
  }, 0)
