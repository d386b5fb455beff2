/**
 * Replaces the links of a caller's tracked html and adds its pixel: a tokenizer finds them, and all
 * else stays as written.
 */
import { applyEdits } from './apply-edits.ts'
import { scanTags, type TagListener } from './scan-tags.ts'

/** The inserted parts. */
export interface Tracking {
  /** The address that stands for the n-th link. Null if links stay. */
  linkAddress: ((index: number) => string) | null
  /** The address of the pixel. Null if there is none. */
  pixelAddress: string | null
}

/**
 * Addresses of http(s) links in the order of the html: the same html gives the same list whenever
 * it is read.
 */
export const linksOf = (html: string): string[] => readTags(html).links.map((link) => link.url)

export function trackHtml(html: string, { linkAddress, pixelAddress }: Tracking): string {
  const { links, bodyEnd } = readTags(html)
  const pixel =
    pixelAddress === null
      ? ''
      : `<img src="${pixelAddress}" width="1" height="1" alt="" style="border:0">`
  return applyEdits(html, [
    ...(linkAddress
      ? links.map(({ start, end }, index) => ({ start, end, text: `href="${linkAddress(index)}"` }))
      : []),
    { start: bodyEnd, end: bodyEnd, text: pixel },
  ])
}

interface FoundLink {
  url: string
  /** Where its attribute stands. */
  start: number
  end: number
}

/** `bodyEnd`: where the last `</body>` stands, or the end. */
function readTags(html: string): { links: FoundLink[]; bodyEnd: number } {
  const links: FoundLink[] = []
  let bodyEnd = html.length
  const listener: TagListener = {
    onOpen(name, attributes, places) {
      const href = attributes.get('href')?.trim()
      const location = places?.['href']
      if ((name === 'a' || name === 'area') && href !== undefined && location && isWebAddress(href))
        links.push({ url: href, start: location.startOffset, end: location.endOffset })
    },
    onClose(name, start) {
      if (name === 'body') bodyEnd = start ?? bodyEnd
    },
  }
  scanTags(html, listener, { withPlaces: true })
  return { links, bodyEnd }
}

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
