/**
 * Reads the `text` format as blocks: a blank line divides two paragraphs, `# ` at the start of a
 * line makes a heading (spec: Campaign).
 */
import type { Block } from '../merge/campaign-source.ts'

export function textBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  const endParagraph = (): void => {
    if (lines.length > 0)
      blocks.push({ type: 'paragraph', text: lines.join('\n'), align: null, color: null })
    lines = []
  }
  for (const line of text.split(/\r\n?|\n/)) {
    const heading = /^# +(\S.*)$/.exec(line)?.[1]
    if (heading !== undefined) {
      endParagraph()
      blocks.push({ type: 'heading', text: heading.trimEnd(), level: 1, align: null, color: null })
    } else if (line.trim() === '') {
      endParagraph()
    } else {
      lines.push(line.trimEnd())
    }
  }
  endParagraph()
  return blocks
}
