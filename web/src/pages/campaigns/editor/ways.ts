/** A user writes a campaign as one of three kinds, which the editor offers in this order. */
import type { CampaignKind } from '../../../../../src/contract/campaign-fields.ts'
import type { TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'

export const ways: readonly CampaignKind[] = ['content', 'text', 'html']

/** The fields of these lines stand above the content. */
export function linesOf(typed: TypedDraft): Record<string, unknown> {
  const { kind: _kind, text: _text, content: _content, html: _html, ...lines } = typed
  return lines
}
