/** Where in the editor something is to be mended: a field above, or a block; for what preflight found and for what is missing. */
import type { DraftPreflight, DraftProblem, TypedDraft } from '../../../../../src/contract/workspace/drafts.ts'
import { blockAt } from './blocks.ts'
import type { Block } from './blocks.ts'

export type Field = 'name' | 'subject' | 'preheader' | 'from' | 'content'

/** `page`: elsewhere in the workspace. */
export type Spot = { field: Field } | { block: string } | { page: string }

export function placeOfProblem({ path, index, indexes }: DraftProblem, blocks: readonly Block[]): Spot {
  const [first = ''] = path.split('.')
  if (first === 'name' || first === 'subject' || first === 'preheader' || first === 'from') return { field: first }
  const block = index === undefined ? null : blockAt(blocks, indexes ?? [index])
  return block ? { block: block.key } : { field: 'content' }
}

type Finding = DraftPreflight['findings'][number]

/** Null: nothing in reach of who writes can mend it. */
export function placeOfFinding({ check, details }: Finding, typed: TypedDraft, blocks: readonly Block[]): Spot | null {
  switch (check) {
    case 'content':
    case 'size':
      return { field: 'content' }
    case 'sender':
      return { field: 'from' }
    case 'domain':
    case 'authentication':
    case 'dkim':
    case 'spf':
    case 'dmarc':
      return { page: 'settings/domains' }
    case 'postal_address':
      return { page: 'settings/general' }
    case 'links':
      return placeOfText(String(details['url'] ?? ''), typed, blocks)
    case 'images':
      return placeOfText(String(details['src'] ?? ''), typed, blocks)
    case 'fields':
      return placeOfText(`fields.${String(details['field'] ?? '')}`, typed, blocks)
    case 'reputation':
    case 'quota':
      return { page: 'overview' }
    case 'audience':
      return { page: 'subscribers' }
    default:
      return null
  }
}

/** The first place that holds the text. */
function placeOfText(text: string, typed: TypedDraft, blocks: readonly Block[]): Spot | null {
  if (text === '') return null
  if (typed.subject.includes(text)) return { field: 'subject' }
  if (typed.preheader.includes(text)) return { field: 'preheader' }
  if (typed.kind !== 'content') return { field: 'content' }
  const block = blocks.flatMap((each) => [each, ...(each.columns ?? []).flat()]).find((each) => holds(each, text))
  return block ? { block: block.key } : { field: 'content' }
}

/** Of a block with columns its own fields only: those within are asked by themselves. */
const holds = ({ text = '', src = '', href = '', html = '', items = [] }: Block, wanted: string): boolean =>
  [text, src, href, html, ...items].some((value) => value.includes(wanted) || value.replaceAll('&amp;', '&').includes(wanted))

/** Brings the place into sight and puts the cursor there. */
export function goTo(spot: Exclude<Spot, { page: string }>): void {
  const id = 'field' in spot ? `field-${spot.field}` : `block-${spot.block}`
  const element = document.getElementById(id)
  if (!element) return
  element.scrollIntoView({ block: 'center' })
  const inner = element.matches('input, textarea, select')
    ? element
    : element.querySelector<HTMLElement>('[contenteditable=true], input:not([type=hidden]), textarea, [data-first]')
  ;(inner ?? element).focus({ preventScroll: true })
}
