/** Renders blocks as a single mail: the look of a campaign's, without its footer and its links. */
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import { createProblems } from './content-problems.ts'
import { validateBlocks } from './validate-blocks.ts'
import { expandMarks, joinPieces, type Expansion } from '../merge/expand-marks.ts'
import { createMarkTable, type MarkTable } from '../merge/mark-table.ts'
import { writeTag } from '../merge/merge-tags.ts'
import { withoutMarks } from '../merge/slots.ts'
import { mailStyle } from '../campaign/mail-style.ts'
import { renderBlocks } from '../campaign/render-blocks.ts'
import { renderPage } from '../campaign/render-page.ts'
import { renderPlain } from '../campaign/render-plain.ts'

/**
 * `content`: blocks as the request has them. Throws `validation_error` as `validateContent` does,
 * and for a merge tag: a single mail has no subscriber whose values could fill it.
 */
export function renderSingleMail(
  content: readonly unknown[],
  { subject, language }: { subject: string; language: RecipientLanguage },
): { html: string; text: string } {
  const problems = createProblems()
  const blocks = validateBlocks(content, problems)
  problems.throwIfAny()
  const table = createMarkTable()
  const { padding } = mailStyle
  const location = { table, syntax: 'formatted', padding } as const
  const rows = renderBlocks(blocks, { ...location, width: mailStyle.width - 2 * padding })
  const page = { language, subject: withoutMarks(subject), preheader: null, rows, footer: '' }
  const plain = renderPlain(blocks, location)
  refuseTags(table)
  return { html: expand(renderPage(page), 'html', table), text: expand(plain, 'text', table) }
}

function refuseTags({ tags, leadsTo }: MarkTable): void {
  const own = leadsTo.unsubscribe ? '{{unsubscribe_url}}' : leadsTo.view ? '{{view_url}}' : null
  const value = tags[0] ? writeTag(tags[0]) : own
  if (value === null) return
  const problems = createProblems()
  problems.add({ path: 'content', rule: 'no_merge_tag', value })
  throw problems.error()
}

/** Each link leads where its author said; `track_clicks` rewrites it later, as in any message. */
function expand(marked: string, part: Expansion['part'], { links, tags }: MarkTable): string {
  const compiled = { baseUrl: '', links, tags, trackOpens: false, trackClicks: false }
  return joinPieces(
    expandMarks(marked, { compiled, part, personal: false, pixel: false }),
    null,
    null,
  )
}
