/**
 * Finds the elements that a tag ends, as browsers do (HTML 13.2.6.4): `<p>` by a block, `<li>` by
 * the next one or by its list's end. Every tag takes the same few steps, however many elements are
 * open. Elements that browsers open again, such as `<b>`, stay ended.
 */
import { words, wordSet } from '../../ground/words.ts'

export const voidElements = wordSet(
  'img br hr input meta link area base col wbr source track embed param',
)

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Their start ends a `<p>` (HTML 13.2.6.4.7, "in body"). */
const blocks = new Set([
  ...headings,
  ...words(`
  address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup hr li
  dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp
`),
])

const cells = ['td', 'th', 'caption', 'colgroup']
const rows = ['tr', ...cells]
const groups = ['tbody', 'thead', 'tfoot', ...rows]

/** The other elements that the start of an element ends. */
const siblings: Record<string, readonly string[]> = {
  ...{
    li: ['li'],
    dt: ['dt', 'dd'],
    dd: ['dt', 'dd'],
    option: ['option'],
    optgroup: ['option', 'optgroup'],
    a: ['a'],
    button: ['button'],
  },
  ...{ td: cells, th: cells, tr: rows, tbody: groups, thead: groups, tfoot: groups },
}

/**
 * Tags inside of a wall end nothing outside of it: `</div>` in a cell, `<li>` in a list of an
 * entry.
 */
const walls = {
  table: new Set(['table', 'template']),
  block: new Set([
    'table',
    'template',
    'td',
    'th',
    'caption',
    'object',
    'marquee',
    'applet',
    'button',
  ]),
  list: wordSet(
    'table template td th caption object marquee applet button ul ol menu dir dl select',
  ),
}
type Wall = keyof typeof walls

const ofTables = new Set([...groups, 'table'])
const ofLists = new Set(['li', 'dt', 'dd', 'option', 'optgroup'])

function wallOf(name: string): Wall {
  if (ofTables.has(name)) return 'table'
  return ofLists.has(name) ? 'list' : 'block'
}

interface Open<Element> {
  name: string
  element: Element
  /** How many elements were open where the nearest wall of each kind opened, itself counted. */
  behind: Record<Wall, number>
}

export class OpenElements<Element> {
  readonly #open: Open<Element>[] = []
  /** The places of the open elements by name, the innermost last. */
  readonly #places = new Map<string, number[]>()

  open(name: string, element: Element): void {
    const index = this.#open.length
    const outer = this.#open.at(-1)?.behind ?? { table: 0, block: 0, list: 0 }
    const behind = (wall: Wall): number => (walls[wall].has(name) ? index + 1 : outer[wall])
    this.#open.push({
      name,
      element,
      behind: { table: behind('table'), block: behind('block'), list: behind('list') },
    })
    const places = this.#places.get(name)
    if (places) places.push(index)
    else this.#places.set(name, [index])
  }

  /** Ends what the start of such an element ends; the outermost first. */
  endBefore(name: string): Element[] {
    const ended = siblings[name] ? this.#endFrom(this.#outermost(siblings[name], wallOf(name))) : []
    if (blocks.has(name)) ended.push(...this.#endFrom(this.#outermost(['p'], 'block')))
    const innermost = this.#open.length - 1
    if (headings.includes(name) && headings.includes(this.#open[innermost]?.name ?? ''))
      ended.push(...this.#endFrom(innermost))
    return ended
  }

  /**
   * Ends the innermost element of this name and what is open in it; the outermost first. Browsers
   * let nothing end with these two.
   */
  close(name: string): Element[] {
    if (name === 'body' || name === 'html') return []
    const wall = wallOf(name)
    // A wall does not block its own end.
    const index = walls[wall].has(name) ? this.#places.get(name)?.at(-1) : undefined
    return this.#endFrom(index ?? this.#outermost([name], wall))
  }

  /**
   * The place of the outermost of these names' innermost elements on this side of the wall. Null
   * means none is open.
   */
  #outermost(names: readonly string[], wall: Wall): number | null {
    const behind = this.#open.at(-1)?.behind[wall] ?? 0
    const places = names
      .map((name) => this.#places.get(name)?.at(-1) ?? -1)
      .filter((index) => index >= behind)
    return places.length === 0 ? null : Math.min(...places)
  }

  #endFrom(index: number | null): Element[] {
    if (index === null) return []
    const ended = this.#open.splice(index)
    for (const { name } of ended) this.#places.get(name)?.pop()
    return ended.map(({ element }) => element)
  }
}
