/** Validates an author's content once, at creation: after it, a campaign can always be compiled. */
import type { CampaignSource } from '../merge/campaign-source.ts'
import type { CampaignToCompile } from '../merge/compiled-campaign.ts'
import { createProblems, type Problems } from './content-problems.ts'
import { validateBlocks } from './validate-blocks.ts'
import { validateCharacters, validateHtml, validateTags } from './validate-texts.ts'
import { isOwnAddress } from '../merge/content-address.ts'
import { createMarkTable } from '../merge/mark-table.ts'
import { readTags, writeTag } from '../merge/merge-tags.ts'
import { renderCampaign } from '../campaign/render-campaign.ts'
import { withoutMarks } from '../merge/slots.ts'

/** As the request carries them; null, empty and blank are as if absent. */
export interface ContentToValidate {
  subject: string
  preheader?: string | null | undefined
  text?: string | null | undefined
  /** Blocks, not yet validated. */
  content?: readonly unknown[] | null | undefined
  html?: string | null | undefined
}

export type ValidContent = Pick<CampaignToCompile, 'subject' | 'preheader' | 'source'>

/**
 * Exactly one of `text`, `content` and `html`, with merge tags that exist, and with addresses and
 * colours that mails can carry. Throws `validation_error` with path and rule of the first problem
 * and up to ten problems in `errors`; one inside a block also carries `index` (of the block, from
 * 0), and `indexes` inside columns (block, column, block).
 */
export function validateContent({
  subject,
  preheader,
  text,
  content,
  html,
}: ContentToValidate): ValidContent {
  const problems = createProblems()
  checkLine(subject, 'subject', problems)
  checkLine(preheader ?? '', 'preheader', problems)
  const parts = [
    text?.trim() || null,
    content && content.length > 0 ? content : null,
    html?.trim() || null,
  ].filter((item) => item !== null)
  if (parts.length !== 1) {
    problems.add({ path: parts.length === 0 ? 'text' : 'content', rule: 'one_content' })
    throw problems.error('one_content')
  }
  const source = checkSource({ text, content, html }, problems)
  problems.throwIfAny()
  const checked = {
    subject: withoutMarks(subject),
    preheader: withoutMarks(preheader ?? '') || null,
    source,
  }
  checkLinks(checked)
  return checked
}

function checkSource(
  { text, content, html }: Omit<ContentToValidate, 'subject'>,
  problems: Problems,
): CampaignSource {
  if (content && content.length > 0)
    return { kind: 'content', blocks: validateBlocks(content, problems) }
  if (html?.trim()) return { kind: 'html', html: validateHtml(html, { path: 'html' }, problems) }
  return { kind: 'text', text: validateTags(text ?? '', { path: 'text' }, problems) }
}

/**
 * A line of words, not of addresses. A control character in it is refused, never repaired
 * (security: Control characters).
 */
function checkLine(line: string, path: string, problems: Problems): void {
  validateCharacters(line, { path }, problems)
  validateTags(line, { path }, problems)
  for (const piece of readTags(line)) {
    if ('tag' in piece && isOwnAddress(piece.tag.name))
      problems.add({ path, rule: 'merge_tag', value: writeTag(piece.tag) })
  }
}

/** Addresses that differ, in one mail: a click names its link by a small number. */
const linksMax = 1000

function checkLinks({ source, subject, preheader }: ValidContent): void {
  const table = createMarkTable()
  renderCampaign({ ...anyCampaign, source, subject, preheader }, table)
  if (table.links.length > linksMax) {
    const problems = createProblems()
    problems.add({ path: source.kind, rule: 'links', limit: linksMax })
    throw problems.error()
  }
}

/** Only rendering knows which parts are links; the sender makes no difference to it. */
const anyCampaign = {
  campaignId: '',
  workspace: { id: 0, name: '', slug: '', postalAddress: null },
  from: { name: null, address: 'nobody@example.com' },
  returnPathHost: null,
  baseUrl: 'https://example.com',
  language: 'en',
  trackOpens: false,
  trackClicks: false,
} as const
