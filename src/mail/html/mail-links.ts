/**
 * The links of a mail for its page: listed beside the mail, since the links in the shown mail do
 * not work.
 */
import { scanTags } from './scan-tags.ts'

export interface FoundLink {
  address: string
  /** Its text; empty where that is a picture without words, or the address itself. */
  text: string
}

const linksMax = 100
const addressMax = 2_000
const textMax = 120

/**
 * Each address once, in the order of the html, or of the text where there is no html; of the web
 * and of mailboxes alone.
 */
export function linksOfMail({
  html,
  text,
}: {
  html: string | null
  text: string | null
}): FoundLink[] {
  const byKey = new Map<string, FoundLink>()
  for (const { address: raw, text: words } of html === null
    ? linksOfText(text ?? '')
    : linksOfHtml(html)) {
    const address = raw.length > addressMax ? null : readAddress(raw)
    if (address === null || byKey.has(address) || byKey.size === linksMax) continue
    const label = words.replaceAll(/\s+/g, ' ').trim().slice(0, textMax).toWellFormed()
    byKey.set(address, { address, text: label === raw ? '' : label })
  }
  return [...byKey.values()]
}

function readAddress(raw: string): string | null {
  const url = URL.parse(raw)
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
}

function linksOfHtml(html: string): FoundLink[] {
  const links: FoundLink[] = []
  let open: FoundLink | null = null
  const say = (text: string): void => {
    if (open && open.text.length < textMax * 2) open.text += text.slice(0, textMax * 2)
  }
  scanTags(html, {
    onText: say,
    onOpen(name, attributes) {
      if (name === 'img') say(attributes.get('alt') ?? '')
      if (name !== 'a' && name !== 'area') return
      const address = (attributes.get('href') ?? '').trim()
      const link = { address, text: name === 'area' ? (attributes.get('alt') ?? '') : '' }
      links.push(link)
      open = name === 'a' ? link : null
    },
    onClose(name) {
      if (name === 'a') open = null
    },
  })
  return links
}

/**
 * Finds links as mail programs do: punctuation that ends a sentence or surrounds an address is not
 * part of it.
 */
const linksOfText = (text: string): FoundLink[] =>
  [...text.matchAll(/https?:\/\/[^\s<>"]{1,2000}/gi)].map(([address]) => ({
    address: address.replace(/[.,;:!?'")\]}]{1,20}$/, ''),
    text: '',
  }))
