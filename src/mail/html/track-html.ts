/**
 * Replaces the links of a caller's tracked html and adds its pixel: a tokenizer finds them, and all else stays as
 * written.
 */
import { Tokenizer } from 'parse5'
import { stateInside } from './scan-tags.ts'

/** What is put in. */
export interface Tracking {
  /** The address that stands for the n-th link; null: links stay. */
  linkAddress: ((index: number) => string) | null
  /** The address of the pixel; null: none. */
  pixelAddress: string | null
}

/** Addresses of http(s) links in the order of the html: the same html gives the same list whenever it is read. */
export const linksOf = (html: string): string[] => readTags(html).links.map((link) => link.url)

export function trackHtml(html: string, { linkAddress, pixelAddress }: Tracking): string {
  const { links, bodyEnd } = readTags(html)
  const pixel = pixelAddress === null ? '' : `<img src="${pixelAddress}" width="1" height="1" alt="" style="border:0">`
  const edits = [
    ...(linkAddress ? links.map(({ start, end }, index) => ({ start, end, text: `href="${linkAddress(index)}"` })) : []),
    { start: bodyEnd, end: bodyEnd, text: pixel },
  ].toSorted((a, b) => a.start - b.start)
  let at = 0
  let written = ''
  for (const { start, end, text } of edits) {
    written += html.slice(at, start) + text
    at = end
  }
  return written + html.slice(at)
}

interface FoundLink {
  url: string
  /** Where its attribute stands. */
  start: number
  end: number
}

/** Without a tree: what is opened and never closed would make one of n × m elements. `bodyEnd`: where the last `</body>` stands, or the end. */
function readTags(html: string): { links: FoundLink[]; bodyEnd: number } {
  const links: FoundLink[] = []
  let bodyEnd = html.length
  const nothing = (): void => undefined
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName, attrs, location }) {
        const href = attrs.find(({ name }) => name === 'href')?.value.trim()
        const place = location?.attrs?.['href']
        if ((tagName === 'a' || tagName === 'area') && href !== undefined && place && isWebAddress(href)) {
          links.push({ url: href, start: place.startOffset, end: place.endOffset })
        }
        tokenizer.state = stateInside(tagName)
      },
      onEndTag({ tagName, location }) {
        if (tagName === 'body') bodyEnd = location?.startOffset ?? bodyEnd
      },
      ...{ onComment: nothing, onDoctype: nothing, onEof: nothing },
      ...{ onCharacter: nothing, onNullCharacter: nothing, onWhitespaceCharacter: nothing },
    },
  )
  tokenizer.write(html, true)
  return { links, bodyEnd }
}

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
