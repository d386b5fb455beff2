/**
 * The values behind the marks of one mail: collects merge tags and links while its content is
 * rendered.
 */
import type { CompiledCampaign } from './compiled-campaign.ts'
import { validateLinkAddress, normaliseTags } from './content-address.ts'
import { replaceTags, writeTag, type MergeTag } from './merge-tags.ts'
import { replaceMarks, withoutMarks, writeMark, type Mark } from './slots.ts'

export type MarkTable = ReturnType<typeof createMarkTable>

export function createMarkTable() {
  const tags = createNumbered<MergeTag>()
  const links = createNumbered<string>()
  const images = createNumbered<CompiledCampaign['images'][number]>()
  const removed = createNumbered<string>()
  const leadsTo = { unsubscribe: false, view: false }

  const markOf = (tag: MergeTag): Mark => {
    if (tag.name === 'unsubscribe_url') return { kind: 'unsubscribe' }
    if (tag.name === 'view_url') return { kind: 'view' }
    return { kind: 'value', index: tags.placeOf(writeTag(tag), tag) }
  }
  const sourceOf = (mark: Mark): string => {
    switch (mark.kind) {
      case 'value':
      case 'address':
        return writeTag(tags.list[mark.index] ?? unknownTag)
      case 'link':
        return links.list[mark.index] ?? ''
      case 'unsubscribe':
        return '{{unsubscribe_url}}'
      case 'view':
        return '{{view_url}}'
      case 'mailto':
      case 'pixel':
        return ''
    }
  }
  const unmark = (marked: string): string => replaceMarks(marked, sourceOf)
  const encodeValues = (marked: string): string =>
    replaceMarks(marked, (mark) =>
      writeMark(mark.kind === 'value' ? { ...mark, kind: 'address' } : mark),
    )

  return {
    tags: tags.list,
    /** As `CompiledCampaign.links`, `images` and `removed`. */
    links: links.list,
    images: images.list,
    removed: removed.list,
    noteRemoved: (address: string): void =>
      void removed.placeOf(address.slice(0, shownMax), address.slice(0, shownMax)),
    /** Whether a link leads to the recipient's own pages. */
    leadsTo,
    /** A marked text as its author wrote it. */
    unmark,
    /** A marked address whose values are percent-encoded. */
    encodeValues,
    /** The same for the addresses in a marked style, or in markup that nothing else looks into. */
    encodeAddresses: (marked: string): string => marked.replace(addressWithin, encodeValues),
    /** An author's text with a mark for each of its merge tags. An unreadable tag stays text. */
    markTags: (text: string): string =>
      replaceTags(withoutMarks(text), (tag) => writeMark(markOf(tag))),
    /** A marked address as it goes into a link; null when it is not one that a mail may hold. */
    linkTo(marked: string): string | null {
      const address = normaliseTags(unmark(marked))
      if (validateLinkAddress(address, 'link') !== null) return null
      if (address === '{{unsubscribe_url}}') leadsTo.unsubscribe = true
      if (address === '{{view_url}}') leadsTo.view = true
      if (!/^https?:/i.test(address)) return encodeValues(marked)
      return writeMark({ kind: 'link', index: links.placeOf(address, address) })
    },
    /**
     * A marked address as it goes into an image; null as above. `alt` is null where the author gave
     * none.
     */
    imageAt(marked: string, alt: string | null): string | null {
      const address = unmark(marked)
      if (validateLinkAddress(address, 'image') !== null) return null
      images.placeOf(address, { src: address, alt })
      return encodeValues(marked)
    },
  }
}

/** Of an address that preflight names. */
const shownMax = 200

/**
 * `url(…)` of CSS, a quoted address, a bare one. Each piece ends at one character, so the search is
 * linear.
 */
const addressWithin =
  /url\(\s*(?:"[^"]*"|'[^']*'|[^()"'\s]*)|"\s*(?:https?|mailto):[^"]*"|'\s*(?:https?|mailto):[^']*'|(?:https?|mailto):[^\s"'<>()]*/gi

const unknownTag: MergeTag = { name: 'email', fallback: '' }

function createNumbered<T>() {
  const list: T[] = []
  const places = new Map<string, number>()
  return {
    list,
    /** The place of an entry in the list, where it is put when its key is new. */
    placeOf(key: string, entry: T): number {
      const index = places.get(key) ?? list.push(entry) - 1
      places.set(key, index)
      return index
    },
  }
}
