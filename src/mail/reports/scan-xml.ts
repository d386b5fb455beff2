/**
 * Reads the texts of an XML document by their place in it, as far as limits allow: depth,
 * attributes, the length of anything between two tags; and no more than so many elements. A
 * document type is refused, so that no entity is ever expanded. Prefixes of namespaces are left
 * out: reporters use none, their own, or that of RFC 9990.
 */
import { SaxesParser } from 'saxes'

export interface XmlReader {
  /** An element begins; `path` are the local names from the root on, joined by `/`. */
  open(path: string): void
  /** An element ends, with its text, without white space around it. */
  close(path: string, text: string): void
  /** Asked now and then: true ends the reading. */
  isDone(): boolean
}

const depthMax = 10
/** A tenth of a second of parsing: what stands behind them is not read. */
const elementsMax = 60_000
const attributesMax = 20
const textMax = 4_000
/**
 * Characters that are given to the parser at once. Where so many hold no tag, something between two
 * tags is longer.
 */
const pieceLength = 16_384

/**
 * Whether it was read to its end. Throws when the document is not well-formed, or beyond the
 * limits.
 */
export function scanXml(text: string, reader: XmlReader): boolean {
  const parser = new SaxesParser({ position: false })
  const path: string[] = []
  let elements = 0
  let attributes = 0
  let content = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => refuse('a document type'))
  parser.on('opentagstart', () => (attributes = 0))
  parser.on(
    'attribute',
    () => void (++attributes > attributesMax && refuse(`more than ${attributesMax} attributes`)),
  )
  parser.on('opentag', ({ name }) => {
    path.push(name.slice(name.indexOf(':') + 1))
    if (path.length > depthMax) refuse(`nested deeper than ${depthMax}`)
    elements++
    content = ''
    reader.open(path.join('/'))
  })
  const add = (more: string): void => {
    content += more
    if (content.length > textMax) refuse(`a text of more than ${textMax} characters`)
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    reader.close(path.join('/'), content.trim())
    path.pop()
    content = ''
  })
  for (let at = 0; at < text.length; at += pieceLength) {
    const before = elements
    const depth = path.length
    parser.write(text.slice(at, at + pieceLength))
    if (reader.isDone() || elements > elementsMax) return false
    if (text.length - at > pieceLength && elements === before && path.length === depth)
      refuse('too much between two tags')
  }
  parser.close()
  return true
}

function refuse(why: string): never {
  throw new Error(why)
}
