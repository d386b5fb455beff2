/**
 * Sanitises an author's HTML: parses it as browsers do, strips it to the lists of safe-html.ts, and
 * marks its links and tags.
 */
import {
  defaultTreeAdapter,
  html as dialect,
  parse,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes as Tree,
} from 'parse5'
import {
  validateLinkAddress,
  type LinkAddressRule,
  type AddressUse,
} from '../merge/content-address.ts'
import type { MarkTable } from '../merge/mark-table.ts'
import { escapeHtml } from '../merge/render-inline.ts'
import { findUnpaired, readConditional, type ConditionalComment } from './conditional-comments.ts'
import {
  droppedWhole,
  isKeptAttribute,
  isSafeStyle,
  keepSet,
  keptElements,
  keptMeta,
} from './safe-html.ts'
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
  /** A link or an image that no mail can show. Schemes that are not allowed are removed instead. */
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

/** The sanitised source: its marked text, and the marks of its links and values. */
interface Marked {
  table: MarkTable
  source: string
}

const parsing = () => ({ treeAdapter: countingAdapter(), sourceCodeLocationInfo: true })

/** A whole page. Throws HtmlProblem. */
export function sanitisePage(html: string, table: MarkTable): SafePage {
  const marked = { table, source: table.markTags(html) }
  const document = parse(marked.source, parsing())
  const root = document.childNodes.find((node) => node.nodeName === 'html')
  const children = root && 'childNodes' in root ? root.childNodes : []
  const [head, body] = ['head', 'body'].map((name) =>
    children.find((node): node is Tree.Element => node.nodeName === name),
  )
  for (const element of [root, head, body])
    if (element && 'tagName' in element) cleanElement(element, table)
  return {
    htmlAttributes: root && 'tagName' in root ? attributesOf(root) : '',
    bodyAttributes: body ? attributesOf(body) : '',
    head: head ? cleanWhole(head, marked) : '',
    body: body ? cleanWhole(body, marked) : '',
  }
}

/** A piece of a page, such as the inside of an `html` block. Throws HtmlProblem. */
export function sanitiseFragment(html: string, table: MarkTable): string {
  const marked = { table, source: table.markTags(html) }
  return cleanWhole(parseFragment(marked.source, parsing()), marked)
}

/** The cleaned inside of a part of the mail, in which each opening for Outlook has its end. */
function cleanWhole(parent: Tree.ParentNode, marked: Marked): string {
  const page = { ...marked, conditionals: [] }
  cleanChildren(parent, page, 0)
  removeNodes(parent, new Set(findUnpaired<Conditional>(page.conditionals).map(({ node }) => node)))
  return serialize(parent)
}

interface Page extends Marked {
  /** The openings and ends in the cleaned page, in its order. */
  conditionals: Conditional[]
}

interface Conditional extends ConditionalComment {
  node: Tree.ChildNode
}

const elementsMax = 20_000
const depthMax = 300

/**
 * Browsers reopen unclosed formatting in every paragraph (HTML 13.2.4.3): n × m elements out of n +
 * m tags.
 */
function countingAdapter(): typeof defaultTreeAdapter {
  let created = 0
  return {
    ...defaultTreeAdapter,
    createElement(...args) {
      if (++created > elementsMax) throw new HtmlProblem('html_elements')
      return defaultTreeAdapter.createElement(...args)
    },
  }
}

function cleanChildren(parent: Tree.ParentNode, page: Page, depth: number): void {
  if (depth > depthMax) throw new HtmlProblem('html_depth')
  parent.childNodes = parent.childNodes.flatMap((node) => {
    if ('tagName' in node) return cleanNode(node, page, depth)
    if (node.nodeName === '#comment' && 'data' in node) return cleanComment(node, page)
    return node.nodeName === '#text' ? [node] : []
  })
}

/** The element, what it held, or nothing. */
function cleanNode(element: Tree.Element, page: Page, depth: number): Tree.ChildNode[] {
  const { tagName } = element
  if (element.namespaceURI !== dialect.NS.HTML || droppedWhole.has(tagName)) return []
  if (tagName === 'meta' && !keptMeta.has(readAttribute(element, 'name').toLowerCase())) return []
  if (tagName === 'style' && !isSafeStyle(serialize(element))) return []
  if (tagName === 'style') cleanSheet(element, page.table)
  else cleanChildren(element, page, depth + 1)
  if (!keptElements.has(tagName)) return element.childNodes
  cleanElement(element, page.table)
  return [element]
}

function cleanSheet(style: Tree.Element, table: MarkTable): void {
  for (const node of style.childNodes)
    if ('value' in node) node.value = table.encodeAddresses(node.value)
}

/** Outlook's own comments carry the layout that it needs; all other comments go. */
function cleanComment(
  node: Tree.CommentNode,
  { table, source, conditionals }: Page,
): Tree.ChildNode[] {
  const isDeclaration = !source.startsWith('<!--', node.sourceCodeLocation?.startOffset ?? 0)
  const read = readConditional(node.data, isDeclaration)
  if (read === null) return []
  node.data = table.encodeAddresses(read.text)
  if (read.kind !== 'whole') conditionals.push({ ...read, node })
  return [node]
}

function removeNodes(parent: Tree.ParentNode, nodes: ReadonlySet<Tree.ChildNode>): void {
  if (nodes.size === 0) return
  parent.childNodes = parent.childNodes.filter((node) => !nodes.has(node))
  for (const node of parent.childNodes) if ('childNodes' in node) removeNodes(node, nodes)
}

function cleanElement(element: Tree.Element, table: MarkTable): void {
  const alt =
    element.tagName === 'img'
      ? (element.attrs.find(({ name }) => name === 'alt')?.value ?? null)
      : null
  element.attrs = element.attrs.flatMap(({ name, value }) => {
    const cleaned = cleanAttribute(element.tagName, name, value, table, alt)
    return cleaned === null ? [] : [{ name, value: cleaned }]
  })
}

const imageAttributes = new Set(['src', 'background'])

function cleanAttribute(
  tag: string,
  name: string,
  value: string,
  table: MarkTable,
  alt: string | null,
): string | null {
  if (!isKeptAttribute(name)) return null
  if (name === 'style') return isSafeStyle(value) ? table.encodeAddresses(value) : null
  if (name === 'href') return tag === 'a' || tag === 'area' ? cleanLink(value.trim(), table) : null
  if (imageAttributes.has(name)) return cleanImage(value.trim(), table, name === 'src' ? alt : '')
  if (name === 'srcset') return cleanSet(value)
  return value
}

/**
 * Addresses as browsers read them: tabs and line feeds inside count for nothing (URL Standard 4.4).
 */
const withoutBreaks = (address: string): string => address.replace(/[\t\r\n]+/g, '')

/** Apps on the reader's device open these: none of them runs or loads anything in a mail. */
const appAddress =
  /^(?:callto|facetime|facetime-audio|geo|maps|mms|sip|sips|skype|sms|tel|tg|viber|webcal|webcals|whatsapp|xmpp):/i

function cleanLink(href: string, table: MarkTable): string | null {
  const address = withoutBreaks(href)
  if (address === '' || address.startsWith('#')) return address
  if (appAddress.test(address)) return table.encodeValues(address)
  return table.linkTo(address) ?? strip(address, 'link', table)
}

function cleanImage(source: string, table: MarkTable, alt: string | null): string | null {
  const address = withoutBreaks(source)
  if (address === '' || /^data:image\/(?:png|gif|jpeg|webp);base64,[A-Za-z0-9+/=]*$/i.test(address))
    return address
  return table.imageAt(address, alt) ?? strip(address, 'image', table)
}

/**
 * `javascript:` and its like are removed, as preflight says (the rest is safe); a wrong address is
 * reported.
 */
function strip(address: string, use: AddressUse, table: MarkTable): null {
  const source = table.unmark(address)
  const rule = validateLinkAddress(source, use)
  if (rule !== null && rule !== 'scheme') throw new HtmlProblem(rule, source)
  table.noteRemoved(source)
  return null
}

/**
 * Pictures for other sizes: a bonus beside `src`, kept when every address in it is plain (HTML
 * 4.8.4.2.1).
 */
function cleanSet(value: string): string | null {
  return keepSet(value, (address) => /^https?:\/\/[^/]/i.test(address) && !hasMark(address))
}

const readAttribute = (element: Tree.Element, name: string): string =>
  element.attrs.find((attribute) => attribute.name === name)?.value ?? ''

const attributesOf = (element: Tree.Element): string =>
  element.attrs.map(({ name, value }) => ` ${name}="${escapeHtml(value)}"`).join('')
