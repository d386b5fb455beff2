/**
 * Addresses in an author's links and images: which are allowed, and how a contact's values fill
 * them.
 */
import { mergeValue, readTags, replaceTags, writeTag, type MergeValues } from './merge-tags.ts'

export type LinkAddressRule =
  /** Neither http, https nor mailto; of images: neither http nor https. */
  | 'scheme'
  /** `/path` or `example.com/path`: a mail has no place that it would be relative to. */
  | 'relative'
  /** Not an address that a browser can read, or longer than 2,000 characters. */
  | 'address'
  /**
   * A merge tag in the scheme or the host: a subscriber's data must not choose where a link leads.
   */
  | 'merge_tag_in_host'
  /**
   * `{{unsubscribe_url}}` and `{{view_url}}` are whole addresses: nothing stands before or behind
   * them.
   */
  | 'merge_tag_alone'

export type AddressUse = 'link' | 'image'

/** In UTF-16 units. */
const addressMax = 2000

/**
 * The problem of an address with filled merge tags; null when there is none. The tags themselves
 * were validated before.
 */
export function validateLinkAddress(address: string, use: AddressUse): LinkAddressRule | null {
  if (address.length > addressMax) return 'address'
  const pieces = readTags(address)
  const own = pieces.some((piece) => 'tag' in piece && isOwnAddress(piece.tag.name))
  if (own) return pieces.length === 1 && use === 'link' ? null : 'merge_tag_alone'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
  if (scheme === undefined) return address.startsWith('{{') ? 'merge_tag_in_host' : 'relative'
  if (scheme === 'mailto') return use === 'link' ? null : 'scheme'
  if (scheme !== 'http' && scheme !== 'https') return 'scheme'
  const first = pieces[0]
  const literal = first !== undefined && 'text' in first ? first.text : ''
  if (pieces.length > 1 && !/^https?:\/\/[^/?#]+[/?#]/i.test(literal)) return 'merge_tag_in_host'
  return URL.canParse(resolveLink(address, null)) && /^https?:\/\/[^/?#]/i.test(address)
    ? null
    : 'address'
}

export const isOwnAddress = (tag: string): boolean =>
  tag === 'unsubscribe_url' || tag === 'view_url'

/**
 * A link's target for a contact: values percent-encoded, defaults where there is none. Without a
 * contact: defaults alone.
 */
export function resolveLink(link: string, contact: MergeValues | null): string {
  return replaceTags(link, (tag) => percentEncode(mergeValue(tag, contact)), dropped)
}

/**
 * Everything but letters, digits and `-_.~`, so that a value stays one value of a query and one
 * step of a path.
 */
export function percentEncode(value: string): string {
  if (/^[A-Za-z0-9_.~-]*$/.test(value)) return value
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The address with its tags written alike, so that one target is one link. */
export const normaliseTags = (address: string): string => replaceTags(address, writeTag, dropped)

/** No link holds a tag that cannot be read. */
const dropped = (): string => ''
