/** The values behind the marks of one mail: collects merge tags and links while its content is rendered. */
import type { CompiledCampaign } from './compiled-campaign.ts'
import { validateLinkAddress, normaliseTags } from './content-address.ts'
import { readTags, writeTag, type MergeTag } from './merge-tags.ts'
import { splitMarks, withoutMarks, writeMark, type Mark } from './slots.ts'

export interface MarkTable {
  tags: MergeTag[]
  /** As `CompiledCampaign.links`. */
  links: string[]
  /** An author's text with a mark for each of its merge tags. An unreadable tag stays text. */
  markTags(text: string): string
  /** A marked address as it goes into a link; null when it is not one that a mail may hold. */
  linkTo(marked: string): string | null
  /** A marked address as it goes into an image; null as above. `alt` is null where the author gave none. */
  imageAt(marked: string, alt: string | null): string | null
  /** As `CompiledCampaign.images`. */
  images: CompiledCampaign['images']
  /** Whether a link leads to the recipient's own pages. */
  leadsTo: { unsubscribe: boolean; view: boolean }
  /** A marked text as its author wrote it. */
  unmark(marked: string): string
}

export function createMarkTable(): MarkTable {
  const tags: MergeTag[] = []
  const places = new Map<string, number>()
  const links: string[] = []
  const linkPlaces = new Map<string, number>()
  const images: CompiledCampaign['images'] = []
  const imagePlaces = new Map<string, number>()
  const leadsTo = { unsubscribe: false, view: false }

  const markOf = (tag: MergeTag): Mark => {
    if (tag.name === 'unsubscribe_url') return { kind: 'unsubscribe' }
    if (tag.name === 'view_url') return { kind: 'view' }
    return { kind: 'value', tag: placeOf(writeTag(tag), tag, places, tags) }
  }
  const sourceOf = (mark: Mark): string => {
    switch (mark.kind) {
      case 'value':
      case 'address':
        return writeTag(tags[mark.tag] ?? unknownTag)
      case 'link':
        return links[mark.link] ?? ''
      case 'unsubscribe':
        return '{{unsubscribe_url}}'
      case 'view':
        return '{{view_url}}'
      case 'mailto':
      case 'pixel':
        return ''
    }
  }
  const unmark = (marked: string): string =>
    splitMarks(marked)
      .map((piece) => (typeof piece === 'string' ? piece : sourceOf(piece)))
      .join('')
  const encodeValues = (marked: string): string =>
    splitMarks(marked)
      .map((piece) =>
        typeof piece === 'string' ? piece : writeMark(piece.kind === 'value' ? { kind: 'address', tag: piece.tag } : piece),
      )
      .join('')

  return {
    tags,
    links,
    images,
    leadsTo,
    unmark,
    markTags: (text) =>
      readTags(withoutMarks(text))
        .map((piece) => ('text' in piece ? piece.text : 'tag' in piece ? writeMark(markOf(piece.tag)) : piece.malformed))
        .join(''),
    linkTo(marked) {
      const address = normaliseTags(unmark(marked))
      if (validateLinkAddress(address, 'link') !== null) return null
      if (address === '{{unsubscribe_url}}') leadsTo.unsubscribe = true
      if (address === '{{view_url}}') leadsTo.view = true
      if (!/^https?:/i.test(address)) return encodeValues(marked)
      return writeMark({ kind: 'link', link: placeOf(address, address, linkPlaces, links) })
    },
    imageAt(marked, alt) {
      const address = unmark(marked)
      if (validateLinkAddress(address, 'image') !== null) return null
      placeOf(address, { src: address, alt }, imagePlaces, images)
      return encodeValues(marked)
    },
  }
}

const unknownTag: MergeTag = { name: 'email', fallback: '' }

/** Its place in the list, where it is put when it is new. */
function placeOf<T>(key: string, entry: T, places: Map<string, number>, list: T[]): number {
  const known = places.get(key)
  if (known !== undefined) return known
  places.set(key, list.length)
  return list.push(entry) - 1
}
