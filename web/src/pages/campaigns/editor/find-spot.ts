/**
 * Finds the place in the editor where the user mends a problem: a line above the content, or a
 * block.
 */
import type {
  DraftPreflight,
  DraftProblem,
  TypedDraft,
} from '../../../../../src/contract/workspace/drafts.ts'
import { blockAt, type Block } from './blocks.ts'
import { ways } from './ways.ts'

/**
 * A field of the draft; `content` in each of its kinds. `text`: what to select there, such as the
 * address of a link. `page`: another page of the workspace.
 */
export type Spot = (({ field: string } | { block: string }) & { text?: string }) | { page: string }

/** Elements of the page and addresses of the editor have this id. */
export const spotId = (spot: Exclude<Spot, { page: string }>): string =>
  'field' in spot ? `field-${spot.field}` : `block-${spot.block}`

/** Null if the address names no place. */
export function readSpot(id: string): Exclude<Spot, { page: string }> | null {
  const [, kind, name = ''] = /^(field|block)-(.+)$/.exec(id) ?? []
  if (kind === undefined) return null
  return kind === 'block' ? { block: name } : { field: name }
}

export function spotOfProblem(
  { path, index, indexes }: DraftProblem,
  blocks: readonly Block[],
): Spot {
  const [first = ''] = path.split('.')
  if (!ways.some((way) => way === first)) return { field: first }
  const block = index === undefined ? null : blockAt(blocks, indexes ?? [index])
  return block ? { block: block.key } : { field: 'content' }
}

type Finding = DraftPreflight['findings'][number]

/** Null if no page of the author can mend it. */
export function spotOfFinding(
  { check, details }: Finding,
  typed: TypedDraft,
  blocks: readonly Block[],
): Spot | null {
  const { url = '', src = '', field = '', tag = '' } = details
  if (check === 'links') return spotOfText(String(url), typed, blocks)
  if (check === 'images') return spotOfText(String(src), typed, blocks)
  if (check === 'fields')
    return spotOfText(tag === '' ? `fields.${String(field)}` : String(tag), typed, blocks)
  return spots[check] ?? null
}

/** All findings of these checks have one place. */
const spots: Partial<Record<Finding['check'], Spot>> = {
  ...{ content: { field: 'content' }, size: { field: 'content' }, sender: { field: 'from' } },
  ...{ domain: { page: 'settings/domains' }, authentication: { page: 'settings/domains' } },
  ...{
    dkim: { page: 'settings/domains' },
    spf: { page: 'settings/domains' },
    dmarc: { page: 'settings/domains' },
  },
  postal_address: { page: 'settings/general' },
  ...{
    reputation: { page: 'overview' },
    quota: { page: 'overview' },
    audience: { page: 'subscribers' },
  },
}

/** The first place that holds the text. */
function spotOfText(text: string, typed: TypedDraft, blocks: readonly Block[]): Spot | null {
  if (text === '') return null
  if (typed.subject.includes(text)) return { field: 'subject', text }
  if (typed.preheader.includes(text)) return { field: 'preheader', text }
  if (typed.kind !== 'content') return { field: 'content', text }
  const block = blocks
    .flatMap((each) => [each, ...(each.columns ?? []).flat()])
    .find((each) => contains(each, text))
  return block ? { block: block.key, text } : { field: 'content' }
}

/** Returns a block's own fields only: the search covers the blocks in its columns separately. */
const contains = (
  { text = '', src = '', href = '', html = '', items = [] }: Block,
  needle: string,
): boolean =>
  [text, src, href, html, ...items].some(
    (value) => value.includes(needle) || value.replaceAll('&amp;', '&').includes(needle),
  )

/**
 * The search for an element repeats at this interval, so many times, because the text editor may
 * still be loading.
 */
const retryMs = 40
const triesMax = 100

/**
 * Brings the place into sight and puts the cursor there, as soon as it is drawn; unless the user
 * has begun to write elsewhere meanwhile.
 */
export function goTo(
  spot: Exclude<Spot, { page: string }>,
  tries = 0,
  from = document.activeElement,
): void {
  const element = document.getElementById(spotId(spot))
  const now = document.activeElement
  if (tries > 0 && now !== from && now instanceof HTMLElement && isText(now)) return
  if (!element || element.querySelector(stillLoading)) {
    if (tries < triesMax) window.setTimeout(() => goTo(spot, tries + 1, from), retryMs)
    return
  }
  element.scrollIntoView({ block: 'center' })
  if (spot.text !== undefined && selectText(element, spot.text)) return
  // A block takes the cursor in its words rather than in its look. A block without words takes the
  // focus on a button.
  const words = element.querySelector('[data-fields]') ?? element
  const inner = element.matches('input, textarea, select')
    ? element
    : (words.querySelector<HTMLElement>(
        '[contenteditable=true], input:not([type=hidden], [type=file]), textarea, [data-first]',
      ) ?? element.querySelector<HTMLElement>('button'))
  ;(inner ?? element).focus({ preventScroll: true })
}

/**
 * Selects the text in the input that holds it, or the link that leads there in formatted words.
 * False means neither is there.
 */
function selectText(element: Element, text: string): boolean {
  const inputs = [element, ...element.querySelectorAll('input, textarea')]
  const input = inputs.find(
    (each) =>
      each.matches('input, textarea') && 'value' in each && String(each.value).includes(text),
  )
  if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) {
    const at = input.value.indexOf(text)
    input.focus({ preventScroll: true })
    input.setSelectionRange(at, at + text.length)
    return true
  }
  const link = [...element.querySelectorAll<HTMLElement>('[contenteditable=true] a')].find(
    (each) => each.getAttribute('href') === text,
  )
  if (!link) return false
  link.closest<HTMLElement>('[contenteditable=true]')?.focus({ preventScroll: true })
  window.getSelection()?.selectAllChildren(link)
  return true
}

/**
 * Words whose editor the browser has not loaded yet, and that nothing takes meanwhile
 * (RichText.tsx).
 */
const stillLoading = '[data-words]:not(:has([contenteditable], textarea))'

/** A text input stores and undoes its typing by itself. */
export const isText = (element: HTMLElement): boolean =>
  element.isContentEditable ||
  element.matches('input:not([type=checkbox], [type=radio], [type=file], [readonly]), textarea')
