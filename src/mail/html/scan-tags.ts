/**
 * Reads HTML tag by tag, by parse5's tokenizer and without a tree: elements that are opened and never closed would make one of
 * n × m elements.
 */
import { Tokenizer, TokenizerMode } from 'parse5'

export interface TagListener {
  /** Decoded, whole up to the next tag. */
  onText?(text: string): void
  /** Names in lower case, each once; values decoded. `places`: where each attribute stands, if asked for. */
  onOpen(name: string, attributes: ReadonlyMap<string, string>, places?: AttributePlaces): void
  /** `start`: where the tag stands, if asked for. */
  onClose(name: string, start?: number): void
  /** The text inside of an element that contains no others, such as `style`. */
  onInside?(name: string, text: string): void
  onDoctype?(doctype: Doctype): void
}

/** By name. Offsets of the first character, and of the one behind the last. */
export type AttributePlaces = Record<string, { startOffset: number; endOffset: number }>

export interface Doctype {
  name: string | null
  publicId: string | null
  systemId: string | null
}

/** In one pass: time stays in proportion to the HTML, whatever it contains. Comments are left out. */
export function scanTags(html: string, listener: TagListener, { withPlaces = false } = {}): void {
  let text = ''
  /** The open element whose inside is text. */
  let holder: string | null = null
  const nothing = (): void => undefined
  const add = listener.onText ? ({ chars }: { chars: string }): void => void (text += chars) : nothing
  const emitText = (): void => {
    if (holder !== null) listener.onInside?.(holder, text)
    else if (text !== '') listener.onText?.(text)
    text = ''
    holder = null
  }
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: withPlaces },
    {
      onStartTag({ tagName, attrs, location }) {
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
      ...{ onCharacter: add, onWhitespaceCharacter: add, onNullCharacter: nothing, onComment: nothing },
    },
  )
  tokenizer.write(html, true)
}

const none: ReadonlyMap<string, string> = new Map()

/** How the tokenizer goes on after a start tag: the inside of some elements is text, whatever it looks like (HTML 13.2.6.4). */
function stateInside(tagName: string): Tokenizer['state'] {
  if (tagName === 'script') return TokenizerMode.SCRIPT_DATA
  if (tagName === 'title' || tagName === 'textarea') return TokenizerMode.RCDATA
  if (['style', 'xmp', 'iframe', 'noembed', 'noframes'].includes(tagName)) return TokenizerMode.RAWTEXT
  return TokenizerMode.DATA
}
