/**
 * Rewrites a mail's HTML for a frame of ours: nothing in it runs, navigates, sends or loads, so the
 * frame's policy has nothing to refuse. This writes it again from known harmless parts, with the
 * same look.
 */
import { quietStyle, type PictureAt } from './quiet-style.ts'
import { scanTags, type Doctype } from './scan-tags.ts'
import { isKeptAttribute, keepSet, keptElements, keptMeta } from './safe-html.ts'
import { wordSet } from '../../ground/words.ts'

export function quietHtml(html: string, pictureAt: PictureAt): string {
  const parts: string[] = []
  let isBegun = false
  const begin = (): void => {
    if (!isBegun) parts.push(`<style>${linkStyle}</style>`)
    isBegun = true
  }
  scanTags(html, {
    onText(text) {
      if (text.trim() !== '') begin()
      parts.push(quietText(text))
    },
    onOpen(name, attributes) {
      begin()
      if (!isShown(name, attributes)) return
      parts.push('<', name)
      for (const [attribute, value] of attributes)
        parts.push(quietAttribute(name, attribute, value, pictureAt))
      parts.push('>')
    },
    onClose(name) {
      begin()
      if (isShown(name)) parts.push(`</${name}>`)
    },
    onInside(name, text) {
      if (name === 'style')
        parts.push(quietStyle(text, pictureAt).replaceAll('</', String.raw`<\/`))
      else if (!unread.has(name)) parts.push(quietText(text))
    },
    onDoctype(doctype) {
      // Browsers lay out by it, and only where it is the first of all.
      if (!isBegun) parts.push(quietDoctype(doctype))
    },
  })
  return parts.join('')
}

const quietText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function quietDoctype({ name, publicId, systemId }: Doctype): string {
  if (name === null || !/^\w+$/.test(name)) return ''
  const ids = publicId === null ? [] : [publicId, systemId].filter((id) => id !== null)
  // An identifier that is there but empty has browsers lay out in another way than one that is
  // missing (HTML 13.2.6.4.1).
  const written = ids.map((id) => ` "${id.replaceAll(/[^\w\s./:-]/g, '')}"`).join('')
  return `<!DOCTYPE ${name}${ids.length > 0 ? ' PUBLIC' : ''}${written}>`
}

/** A link looks like one, and yields to whatever the mail says of its links. */
const linkStyle = ':where(a[data-leads]){color:LinkText;text-decoration:underline}'

const shownElements = wordSet(
  'html head body title button label fieldset legend details summary nobr acronym menu dir dl marquee',
)

/** Their texts are for programs. */
const unread = new Set(['script', 'iframe', 'noembed', 'noframes'])

function isShown(name: string, attributes?: ReadonlyMap<string, string>): boolean {
  if (name === 'meta') return keptMeta.has(attributes?.get('name')?.toLowerCase() ?? '')
  return keptElements.has(name) || shownElements.has(name)
}

/** The page allows these beside the attributes of a campaign's mail. */
const shownAttributes = new Set([
  'rules',
  'frame',
  'alink',
  'bordercolor',
  'open',
  'hidden',
  'disabled',
  'start',
  'type',
])

/** These attributes lead elsewhere, on a click or at once. */
const leading = new Set(['target', 'rel', 'ping', 'cite'])

function quietAttribute(
  element: string,
  name: string,
  value: string,
  pictureAt: PictureAt,
): string {
  if (leading.has(name) || !(isKeptAttribute(name) || shownAttributes.has(name))) return ''
  const isLink = element === 'a' || element === 'area'
  switch (name) {
    case 'href':
      return isLink ? quietLink(value.trim()) : ''
    case 'src':
    case 'background':
      return name === 'background' || element === 'img' ? write(name, pictureAt(value)) : ''
    case 'title':
      // The title of a link is its address, written by `quietLink`.
      return isLink ? '' : write(name, value)
    case 'srcset':
      return write(name, quietSet(value, pictureAt))
    case 'style':
      return write(name, quietStyle(value, pictureAt))
    default:
      return write(name, value)
  }
}

const write = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${quietText(value).replaceAll('"', '&quot;')}"`

/** A link within the mail works; any other link only shows its address. */
const quietLink = (address: string): string =>
  address.startsWith('#')
    ? write('href', address)
    : `${write('title', address.slice(0, titleMax))} data-leads=""`

const titleMax = 500

/** Pictures for other sizes: all of them or none (HTML 4.8.4.2.1). */
function quietSet(value: string, pictureAt: PictureAt): string | null {
  return value.includes('data:')
    ? null
    : keepSet(value, (address) => pictureAt(address) === address)
}
