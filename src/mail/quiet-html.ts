/**
 * A mail's HTML for a frame of ours, with nothing in it that the frame's own policy would have to refuse: no script, no frame, no
 * form, nobody to be asked. The sandbox and the policy hold all the same; this keeps the console for what should not be there.
 */
import { defaultTreeAdapter, parse, serialize } from 'parse5'
import type { DefaultTreeAdapterTypes as Tree } from 'parse5'
import { withOwnImages } from './own-images.ts'
import type { OwnImage } from './own-images.ts'

/** Out with all that they hold. */
const loud = new Set([
  ...['script', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'base', 'link', 'audio', 'video', 'source', 'track'],
  ...['svg', 'math', 'template', 'noscript', 'portal', 'dialog'],
])

/** What makes a browser fetch something as soon as it reads it. */
const fetching = new Set(['src', 'srcset', 'background', 'poster', 'data', 'lowsrc', 'dynsrc', 'longdesc', 'manifest', 'profile'])

/** More than a mail has; beyond, and where it is nested deeper than our stack is for, it is shown as it is. */
const elementsMax = 50_000
const depthMax = 500

class TooMuch extends Error {}

/** The same with the pictures that the mail brings; a place that names one which it does not bring is empty. */
export const frameHtml = (html: string, files: OwnImage[], options: { pictures: boolean }): string =>
  withOwnImages(quietHtml(html, options), files).replaceAll(/ (?:src|background|srcset)="cid:[^"]*"/gi, '')

/** `pictures`: whoever looks wants those from elsewhere too. */
export function quietHtml(html: string, { pictures }: { pictures: boolean }): string {
  try {
    const document = parse(html, { treeAdapter: countingAdapter() })
    quietChildren(document, pictures, 0)
    return serialize(document)
  } catch (error) {
    if (error instanceof TooMuch) return html
    throw error
  }
}

/** Formatting that is never closed is opened again in every paragraph (HTML 13.2.4.3): a little text becomes a great many elements. */
function countingAdapter(): typeof defaultTreeAdapter {
  let created = 0
  return {
    ...defaultTreeAdapter,
    createElement(...given) {
      if (++created > elementsMax) throw new TooMuch()
      return defaultTreeAdapter.createElement(...given)
    },
  }
}

function quietChildren(parent: Tree.ParentNode, pictures: boolean, depth: number): void {
  if (depth > depthMax) throw new TooMuch()
  parent.childNodes = parent.childNodes.filter((node) => !('tagName' in node) || !isLoud(node))
  for (const node of parent.childNodes) {
    if (!('tagName' in node)) continue
    node.attrs = node.attrs.flatMap(({ name, value }) => quietAttribute(name, value, pictures))
    if (node.tagName === 'style')
      for (const text of node.childNodes) if ('value' in text) text.value = quietStyle(text.value, pictures)
    quietChildren(node, pictures, depth + 1)
  }
}

/** A refresh leads elsewhere; any other `http-equiv` is ours to say. */
const isLoud = ({ tagName, attrs }: Tree.Element): boolean =>
  loud.has(tagName) || (tagName === 'meta' && attrs.some(({ name }) => name === 'http-equiv'))

function quietAttribute(name: string, value: string, pictures: boolean): { name: string; value: string }[] {
  const address = value.replaceAll(/[\0-\x20]/g, '').toLowerCase() // oxlint-disable-line no-control-regex
  if (/^on/i.test(name) || ['srcdoc', 'action', 'formaction', 'ping', 'autofocus'].includes(name)) return []
  if (['href', 'xlink:href'].includes(name)) return /^(?:javascript|vbscript|data):/.test(address) ? [] : [{ name, value }]
  if (fetching.has(name)) return isAtHand(address) || (pictures && /^(?:https?:)?\/\//.test(address)) ? [{ name, value }] : []
  return [{ name, value: name === 'style' ? quietStyle(value, pictures) : value }]
}

/** Written into the mail itself, or brought by it (RFC 2392). */
const isAtHand = (address: string): boolean => /^(?:data:image\/|cid:)/.test(address)

/** Rules that fetch others, fonts, and pictures from elsewhere. */
function quietStyle(css: string, pictures: boolean): string {
  const own = css.replaceAll(/@(?:import|charset|namespace)[^;]*(?:;|$)/gi, '').replaceAll(/@font-face\s*\{[^}]*\}?/gi, '')
  return own.replaceAll(
    /(?:url|src|image|image-set|-webkit-image-set)\(\s*["']?([^"')]*)["']?[^)]*\)/gi,
    (whole, address: string) => {
      const plain = address.trim().toLowerCase()
      return isAtHand(plain) || plain.startsWith('#') || (pictures && /^(?:https?:)?\/\//.test(plain)) ? whole : 'none'
    },
  )
}
