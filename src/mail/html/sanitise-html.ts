/**
 * Sanitises an author's HTML: parses it as browsers do, strips it to the lists of safe-html.ts, and marks its links
 * and tags.
 */
import {
  defaultTreeAdapter,
  html as dialect,
  parse,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes as Tree,
} from 'parse5'
import { validateLinkAddress, type LinkAddressRule, type AddressUse } from '../merge/content-address.ts'
import type { MarkTable } from '../merge/mark-table.ts'
import { escapeHtml } from '../merge/render-inline.ts'
import { droppedWhole, isKeptAttribute, isKeptComment, isSafeStyle, keepSet, keptElements, keptMeta } from './safe-html.ts'
import { hasMark } from '../merge/slots.ts'

/** Marked. Texts of elements, ready to be joined to a page. */
export interface SafePage {
  /** ` lang="fr"`: attributes with a space before each. */
  htmlAttributes: string
  bodyAttributes: string
  head: string
  body: string
}

export type HtmlRule =
  /** More than 20,000 elements: some markup makes a browser multiply them. */
  | 'html_elements'
  /** More than 300 elements inside each other. */
  | 'html_depth'
  /** A link or an image that no mail can show. Schemes that are not allowed are stripped instead. */
  | Exclude<LinkAddressRule, 'scheme'>

/** A problem that no repair could make right; `value` is the found text. */
export class HtmlProblem extends Error {
  readonly rule: HtmlRule
  readonly value: string | null

  constructor(rule: HtmlRule, value: string | null = null) {
    super(rule)
    this.rule = rule
    this.value = value
  }
}

/** A whole page. Throws HtmlProblem. */
export function sanitisePage(source: string, table: MarkTable): SafePage {
  const document = parse(table.markTags(source), { treeAdapter: countingAdapter() })
  const html = document.childNodes.find((node) => node.nodeName === 'html')
  const children = html && 'childNodes' in html ? html.childNodes : []
  const [head, body] = ['head', 'body'].map((name) => children.find((node): node is Tree.Element => node.nodeName === name))
  for (const element of [html, head, body]) if (element && 'tagName' in element) cleanElement(element, table)
  if (head) cleanChildren(head, table, 0)
  if (body) cleanChildren(body, table, 0)
  return {
    htmlAttributes: html && 'tagName' in html ? attributesOf(html) : '',
    bodyAttributes: body ? attributesOf(body) : '',
    head: head ? serialize(head) : '',
    body: body ? serialize(body) : '',
  }
}

/** A piece of a page, such as the inside of an `html` block. Throws HtmlProblem. */
export function sanitiseFragment(source: string, table: MarkTable): string {
  const fragment = parseFragment(table.markTags(source), { treeAdapter: countingAdapter() })
  cleanChildren(fragment, table, 0)
  return serialize(fragment)
}

const elementsMax = 20_000
const depthMax = 300

/** Browsers reopen unclosed formatting in every paragraph (HTML 13.2.4.3): n × m elements out of n + m tags. */
function countingAdapter(): typeof defaultTreeAdapter {
  let created = 0
  return {
    ...defaultTreeAdapter,
    createElement(...given) {
      if (++created > elementsMax) throw new HtmlProblem('html_elements')
      return defaultTreeAdapter.createElement(...given)
    },
  }
}

function cleanChildren(parent: Tree.ParentNode, table: MarkTable, depth: number): void {
  if (depth > depthMax) throw new HtmlProblem('html_depth')
  const kept: Tree.ChildNode[] = []
  for (const node of parent.childNodes) {
    if ('tagName' in node) kept.push(...cleanNode(node, table, depth))
    else if (node.nodeName === '#text' || (node.nodeName === '#comment' && 'data' in node && isKeptComment(node.data)))
      kept.push(node)
  }
  parent.childNodes = kept
}

/** The element, what it held, or nothing. */
function cleanNode(element: Tree.Element, table: MarkTable, depth: number): Tree.ChildNode[] {
  const { tagName } = element
  if (element.namespaceURI !== dialect.NS.HTML || droppedWhole.has(tagName)) return []
  if (tagName === 'meta' && !keptMeta.has(readAttribute(element, 'name').toLowerCase())) return []
  if (tagName === 'style' && !isSafeStyle(serialize(element))) return []
  if (tagName !== 'style') cleanChildren(element, table, depth + 1)
  if (!keptElements.has(tagName)) return element.childNodes
  cleanElement(element, table)
  return [element]
}

function cleanElement(element: Tree.Element, table: MarkTable): void {
  const alt = element.tagName === 'img' ? (element.attrs.find(({ name }) => name === 'alt')?.value ?? null) : null
  element.attrs = element.attrs.flatMap(({ name, value }) => {
    const cleaned = cleanAttribute(element.tagName, name, value, table, alt)
    return cleaned === null ? [] : [{ name, value: cleaned }]
  })
}

const imageAttributes = new Set(['src', 'background'])

function cleanAttribute(tag: string, name: string, value: string, table: MarkTable, alt: string | null): string | null {
  if (!isKeptAttribute(name)) return null
  if (name === 'style') return isSafeStyle(value) ? value : null
  if (name === 'href') return tag === 'a' || tag === 'area' ? cleanLink(value.trim(), table) : null
  if (imageAttributes.has(name)) return cleanImage(value.trim(), table, name === 'src' ? alt : '')
  if (name === 'srcset') return cleanSet(value)
  return value
}

/** Addresses as browsers read them: tabs and line feeds inside count for nothing (URL Standard 4.4). */
const withoutBreaks = (address: string): string => address.replace(/[\t\r\n]+/g, '')

function cleanLink(given: string, table: MarkTable): string | null {
  const address = withoutBreaks(given)
  if (address === '' || address.startsWith('#') || /^(?:tel|sms):[\w+().,;?&=%/ -]*$/i.test(address)) return address
  return table.linkTo(address) ?? strip(address, 'link', table)
}

function cleanImage(given: string, table: MarkTable, alt: string | null): string | null {
  const address = withoutBreaks(given)
  if (address === '' || /^data:image\/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=]*$/i.test(address)) return address
  return table.imageAt(address, alt) ?? strip(address, 'image', table)
}

/** `javascript:` and its like are removed silently (the rest is safe); a wrong address is reported. */
function strip(address: string, use: AddressUse, table: MarkTable): null {
  const source = table.unmark(address)
  const rule = validateLinkAddress(source, use)
  if (rule === null || rule === 'scheme') return null
  throw new HtmlProblem(rule, source)
}

/** Pictures for other sizes: a bonus beside `src`, kept when every address in it is plain (HTML 4.8.4.2.1). */
function cleanSet(value: string): string | null {
  return keepSet(value, (address) => /^https?:\/\/[^/]/i.test(address) && !hasMark(address))
}

const readAttribute = (element: Tree.Element, name: string): string =>
  element.attrs.find((attribute) => attribute.name === name)?.value ?? ''

const attributesOf = (element: Tree.Element): string =>
  element.attrs.map(({ name, value }) => ` ${name}="${escapeHtml(value)}"`).join('')
