/**
 * Turns marked text into the parts of a recipient's copy: fixed text, tokens of fixed length,
 * values of merge tags.
 */
import type { CompiledCampaign, PersonalTokens } from './compiled-campaign.ts'
import { percentEncode } from './content-address.ts'
import { mergeValue, readTags, type MergeTag, type MergeValues } from './merge-tags.ts'
import { escapeHtml } from './render-inline.ts'
import { splitMarks, type Mark } from './slots.ts'

export type Piece =
  | string
  | { token: keyof PersonalTokens }
  | { tag: MergeTag; context: MarkContext }

/** How a value is written: raw, escaped, or percent-encoded. */
export type MarkContext = 'text' | 'html' | 'address'

export interface Expansion {
  compiled: Pick<CompiledCampaign, 'baseUrl' | 'links' | 'tags' | 'trackOpens' | 'trackClicks'>
  /** The part of the mail that contains the marked text. */
  part: 'text' | 'html'
  /**
   * Whether links are the recipient's own: tracked, with their tokens. Otherwise the author's, and
   * `#` where there is none.
   */
  personal: boolean
  pixel: boolean
}

export function expandMarks(marked: string, how: Expansion): Piece[] {
  return splitMarks(marked).flatMap((piece) =>
    typeof piece === 'string' ? [piece] : expandMark(piece, how),
  )
}

function expandMark(mark: Mark, { compiled, part, personal, pixel }: Expansion): Piece[] {
  const { baseUrl, tags, links, trackOpens, trackClicks } = compiled
  switch (mark.kind) {
    case 'value':
    case 'address': {
      const tag = tags[mark.index]
      return tag ? [{ tag, context: mark.kind === 'address' ? 'address' : part }] : []
    }
    case 'link':
      if (personal && trackClicks) return [`${baseUrl}/c/`, { token: 'track' }, `/${mark.index}`]
      return expandLink(links[mark.index] ?? '', part)
    case 'unsubscribe':
      return personal ? [`${baseUrl}/unsubscribe/`, { token: 'unsubscribe' }] : ['#']
    case 'mailto':
      return personal ? [{ token: 'mailto' }] : []
    case 'view':
      return personal ? [`${baseUrl}/view/`, { token: 'view' }] : ['#']
    case 'pixel': {
      if (!personal || !pixel || !trackOpens) return []
      return [
        `<img src="${baseUrl}/o/`,
        { token: 'track' },
        '" width="1" height="1" alt="" style="display:block;border:0">',
      ]
    }
  }
}

function expandLink(link: string, part: 'text' | 'html'): Piece[] {
  return readTags(link).flatMap((piece): Piece[] => {
    if ('tag' in piece) return [{ tag: piece.tag, context: 'address' }]
    return 'text' in piece ? [part === 'html' ? escapeHtml(piece.text) : piece.text] : []
  })
}

const writers: Record<MarkContext, (value: string) => string> = {
  text: (value) => value,
  html: escapeHtml,
  address: percentEncode,
}

export const writeValue = (value: string, context: MarkContext): string => writers[context](value)

export function joinPieces(
  pieces: readonly Piece[],
  contact: MergeValues | null,
  tokens: PersonalTokens | null,
): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if ('tag' in piece) return writeValue(mergeValue(piece.tag, contact), piece.context)
      return tokens?.[piece.token] ?? ''
    })
    .join('')
}
