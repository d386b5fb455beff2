/**
 * Makes the text part of a mail whose caller gave HTML alone (decision 0030): one pass over the
 * tags and one over its result, without a tree. Time and length stay in proportion to the HTML,
 * whatever it contains.
 */
import { OpenElements, voidElements } from './open-elements.ts'
import { scanTags } from './scan-tags.ts'

type Piece =
  | { is: 'text'; text: string }
  | { is: 'open'; name: string; attributes: ReadonlyMap<string, string>; end: number | null }
  | { is: 'close'; name: string }

/**
 * Ends in a line feed; null where nothing is left to read, such as in a mail that is a picture
 * without words.
 */
export function textOfHtml(html: string): string | null {
  const pieces = piecesOf(html)
  const writer = new TextWriter()
  for (let at = 0, piece = pieces[0]; piece; piece = pieces[at]) {
    const end = piece.is === 'open' && isHidden(piece.attributes) ? piece.end : null
    if (end === null) write(writer, piece)
    at = end ?? at + 1
  }
  return writer.end()
}

function write(writer: TextWriter, piece: Piece): void {
  if (piece.is === 'text') writer.write(piece.text.toWellFormed())
  else if (piece.is === 'open') open(writer, piece.name, piece.attributes)
  else close(writer, piece.name)
}

/**
 * Each element has its end, the first piece that is not in it. Null means it never ends, so that it
 * hides nothing.
 */
function piecesOf(html: string): Piece[] {
  const pieces: Piece[] = []
  const elements = new OpenElements<Extract<Piece, { is: 'open' }>>()
  const end = (ended: Extract<Piece, { is: 'open' }>[]): void => {
    for (const piece of ended) piece.end = pieces.length
  }
  scanTags(html, {
    onText: (text) => void pieces.push({ is: 'text', text }),
    onOpen(name, attributes) {
      end(elements.endBefore(name))
      const piece = {
        is: 'open' as const,
        name,
        attributes,
        end: voidElements.has(name) ? pieces.length + 1 : null,
      }
      pieces.push(piece)
      if (!voidElements.has(name)) elements.open(name, piece)
    },
    onClose(name) {
      const ended = elements.close(name)
      end(ended)
      pieces.push({ is: 'close', name })
      const own = ended[0]
      // Its own tag is in it, that of a parent is not.
      if (own?.name === name) own.end = pieces.length
    },
  })
  return pieces
}

/** Preheaders stand so: `data-skip-in-text` is React Email's word for them. */
function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  return (
    attributes.get('data-skip-in-text') === 'true' ||
    /display\s*:\s*none/i.test((attributes.get('style') ?? '').slice(0, 2_000))
  )
}

function open(writer: TextWriter, name: string, attributes: ReadonlyMap<string, string>): void {
  if (name === 'br') return writer.breakLine()
  if (name === 'img') return writer.write(bracketed(attributes.get('alt') ?? ''))
  if (name === 'a') return writer.beginLink((attributes.get('href') ?? '').trim())
  if (name === 'pre') writer.keepsSpace = true
  if (name === 'ol' || name === 'ul') return writer.beginList(name === 'ol')
  writer.breakBlock(linesAround(name))
  if (name === 'hr') writer.writeLine('---')
  if (name === 'li') writer.beginEntry()
  if (name === 'blockquote') writer.quotes++
}

function close(writer: TextWriter, name: string): void {
  if (name === 'a') return writer.endLink()
  if (name === 'pre') writer.keepsSpace = false
  if (name === 'ol' || name === 'ul') return writer.endList()
  writer.breakBlock(linesAround(name))
  if (name === 'blockquote') writer.quotes = Math.max(0, writer.quotes - 1)
}

const bracketed = (alt: string): string => (alt.trim() === '' ? '' : `[${alt.trim()}]`)

/**
 * The minimum of line feeds between such an element and its neighbours; none for an inline element.
 */
function linesAround(name: string): 0 | 1 | 2 {
  if (/^(?:p|h[1-6]|blockquote|pre|table|hr|dl|address)$/.test(name)) return 2
  return /^(?:div|section|article|header|footer|main|nav|aside|center|form|fieldset|tr|td|th|li|dt|dd|figure|caption)$/.test(
    name,
  )
    ? 1
    : 0
}

/** Deeper levels get this depth: every line of a mail could be ten thousand levels deep. */
const depthMax = 5

/**
 * Writes words in lines: white space is one space, and at most one empty line stands between two
 * blocks.
 */
class TextWriter {
  keepsSpace = false
  quotes = 0
  #text = ''
  /** Line feeds that are due before the next word. */
  #breaks = 0
  #space = false
  #marker = ''
  readonly #lists: { isOrdered: boolean; entries: number }[] = []
  #link: { address: string; words: string } | null = null

  write(text: string): void {
    if (this.keepsSpace)
      return text.split('\n').forEach((line, index) => this.#writeKept(line, index))
    const words = /[^\S ]| {2}/.test(text) ? text.replaceAll(/\s+/g, ' ') : text
    if (words.startsWith(' ')) this.#space = true
    const trimmed = words.trim()
    if (trimmed === '') return
    this.#put(trimmed)
    this.#space = words.endsWith(' ')
  }

  writeLine(text: string): void {
    this.#put(text)
    this.breakBlock(2)
  }

  breakLine(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2)
  }

  breakBlock(lines: 0 | 1 | 2): void {
    this.#breaks = Math.max(this.#breaks, lines)
  }

  beginList(isOrdered: boolean): void {
    this.breakBlock(this.#lists.length === 0 ? 2 : 1)
    this.#lists.push({ isOrdered, entries: 0 })
  }

  endList(): void {
    this.#lists.pop()
    this.breakBlock(this.#lists.length === 0 ? 2 : 1)
  }

  beginEntry(): void {
    const list = this.#lists.at(-1)
    if (list) list.entries++
    this.#marker = list?.isOrdered ? `${list.entries}. ` : '* '
  }

  beginLink(address: string): void {
    this.endLink()
    if (/^(?:https?|mailto|tel):/i.test(address)) this.#link = { address, words: '' }
  }

  /** The address stands behind the words of its link, unless they are the address. */
  endLink(): void {
    const link = this.#link
    this.#link = null
    if (!link) return
    const { words } = link
    if (words === link.address || words === link.address.replace(/^(?:mailto|tel):/i, '')) return
    this.#space = words !== ''
    this.#put(words === '' ? link.address : `(${link.address})`)
  }

  end(): string | null {
    this.endLink()
    return this.#text === '' ? null : `${this.#text}\n`
  }

  #put(word: string): void {
    if (this.#breaks > 0 && this.#text !== '') this.#text += '\n'.repeat(this.#breaks)
    if (this.#breaks > 0 || this.#text === '') this.#text += this.#margin()
    else if (this.#space) this.#text += ' '
    this.#text += word
    if (this.#link) this.#link.words += this.#link.words === '' || !this.#space ? word : ` ${word}`
    this.#breaks = 0
    this.#space = false
  }

  #writeKept(line: string, index: number): void {
    if (index > 0) this.breakLine()
    const trimmed = line.trimEnd()
    if (trimmed !== '') this.#put(trimmed)
  }

  #margin(): string {
    const marker = this.#marker
    this.#marker = ''
    const indent = '  '.repeat(Math.min(Math.max(0, this.#lists.length - 1), depthMax))
    return `${'> '.repeat(Math.min(this.quotes, depthMax))}${indent}${marker}`
  }
}
