/**
 * Reads HTML tag by tag, by parse5's tokenizer and without a tree: elements that are opened and
 * never closed would make one of n × m elements.
 */
import { Tokenizer, TokenizerMode } from 'parse5'

export interface TagListener {
  /** Decoded, whole up to the next tag. */
  onText?(text: string): void
  /**
   * Names in lower case, each once; values decoded. `places`: where each attribute stands, if asked
   * for.
   */
  onOpen(name: string, attributes: ReadonlyMap<string, string>, places?: AttributePositions): void
  /** `start`: where the tag stands, if asked for. */
  onClose(name: string, start?: number): void
  /** The text inside of an element that contains no others, such as `style`. */
  onInside?(name: string, text: string): void
  onDoctype?(doctype: Doctype): void
}

/** By name. Offsets of the first character, and of the one behind the last. */
export type AttributePositions = Record<string, { startOffset: number; endOffset: number }>

export interface Doctype {
  name: string | null
  publicId: string | null
  systemId: string | null
}

/**
 * In one pass: time stays in proportion to the HTML, whatever it contains. Comments are left out.
 */
export function scanTags(
  html: string,
  listener: TagListener,
  { withPlaces: withPositions = false } = {},
): void {
  let text = ''
  /** The open element whose inside is text. */
  let holder: string | null = null
  const nothing = (): void => undefined
  /** Where the last tag or comment ended: the tokenizer holds no text before it back. */
  let endedAt = -1
  const noteEnd = (): void => void (endedAt = tokenizer.preprocessor.offset)
  const add = listener.onText
    ? ({ chars }: { chars: string }): void => void (text += chars)
    : nothing
  const emitText = (): void => {
    if (holder !== null) listener.onInside?.(holder, text)
    else if (text !== '') listener.onText?.(text)
    text = ''
    holder = null
  }
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: withPositions },
    {
      onStartTag({ tagName, attrs, location }) {
        noteEnd()
        emitText()
        listener.onOpen(
          tagName,
          attrs.length === 0 ? none : new Map(attrs.map(({ name, value }) => [name, value])),
          location?.attrs,
        )
        tokenizer.state = stateInside(tagName)
        if (tokenizer.state !== TokenizerMode.DATA) holder = tagName
      },
      onEndTag({ tagName, location }) {
        noteEnd()
        emitText()
        listener.onClose(tagName, location?.startOffset)
      },
      onDoctype(doctype) {
        emitText()
        listener.onDoctype?.(doctype)
      },
      onEof() {
        const unclosed = holder
        emitText()
        if (unclosed !== null) listener.onClose(unclosed)
      },
      onComment: noteEnd,
      ...{ onCharacter: add, onWhitespaceCharacter: add, onNullCharacter: nothing },
    },
  )
  if (withPositions) return tokenizer.write(html, true)
  // The tokenizer reads letter by letter. Most of a mail is plain text between tags, which is taken
  // whole where it is long.
  const lines = html.includes('\r') ? html.replaceAll(/\r\n?/g, '\n') : html
  // What it has read is dropped soon: each piece is joined to what is left.
  tokenizer.preprocessor.bufferWaterline = 1024
  for (let at = 0, read = 0; at < lines.length;) {
    if (endedAt === read - 1 && tokenizer.state === TokenizerMode.DATA) {
      const end = endOfPlainText(lines, at)
      if (end > at) add({ chars: lines.slice(at, end) })
      at = end
    }
    const end = endOfTags(lines, at)
    read += end - at
    tokenizer.write(lines.slice(at, end), false)
    at = end
  }
  tokenizer.write('', true)
}

/** The end of a tag that long plain text follows; else the end. */
function endOfTags(html: string, from: number): number {
  for (let at = from; ;) {
    const close = html.indexOf('>', at)
    if (close === -1) return html.length
    at = close + 1
    const next = endOfPlainText(html, at)
    if (next - at >= longText) return at
    at = next
  }
}

/** Shorter text costs less in the tokenizer than a piece of its own. */
const longText = 24

/** Where the next tag, character reference or U+0000 begins; else the end. */
function endOfPlainText(html: string, from: number): number {
  plainTextEnd.lastIndex = from
  return plainTextEnd.test(html) ? plainTextEnd.lastIndex - 1 : html.length
}

const plainTextEnd = /[<&\0]/g

const none: ReadonlyMap<string, string> = new Map()

/**
 * How the tokenizer goes on after a start tag: the inside of some elements is text, whatever it
 * looks like (HTML 13.2.6.4).
 */
function stateInside(tagName: string): Tokenizer['state'] {
  if (tagName === 'script') return TokenizerMode.SCRIPT_DATA
  if (tagName === 'title' || tagName === 'textarea') return TokenizerMode.RCDATA
  if (['style', 'xmp', 'iframe', 'noembed', 'noframes'].includes(tagName))
    return TokenizerMode.RAWTEXT
  return TokenizerMode.DATA
}
