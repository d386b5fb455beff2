/**
 * Divides a file of JSON into its outermost objects: one object a line, objects one after the
 * other, or an array of them. A damaged object ends where a line begins with the next one, so that
 * it costs no other.
 */

export interface SplitObject {
  /** From 1. */
  line: number
  /** Null means what stands there is no object, or is cut off or too long. */
  text: string | null
}

/** A page of `GET /events` is the longest object that is expected. */
const bytesMax = 32 * 1024 * 1024

const code = { lineFeed: 10, quote: 34, backslash: 92, open: 123, close: 125 }
/** White space, the brackets and commas of an array, and the byte order mark. */
const between = new Set([...Buffer.from('\t\r\n ,[]'), 0xef, 0xbb, 0xbf])

export async function* splitObjects(chunks: AsyncIterable<Buffer>): AsyncGenerator<SplitObject> {
  let buffered: Buffer[] = []
  let bytes = 0
  let depth = 0
  let isText = false
  let isEscaped = false
  let line = 1
  let firstLine = 1
  let strangeLine = 0
  let isLineBegin = true
  const end = (): SplitObject => {
    const text = depth === 0 && bytes <= bytesMax ? Buffer.concat(buffered).toString('utf8') : null
    buffered = []
    bytes = depth = 0
    isText = isEscaped = false
    return { line: firstLine, text }
  }
  for await (const chunk of chunks) {
    let from = 0
    const bufferTo = (to: number): void => {
      bytes += to - from
      if (bytes <= bytesMax) buffered.push(chunk.subarray(from, to))
      else buffered = []
    }
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (depth > 0 && byte === code.open && isLineBegin) yield end()
      isLineBegin = byte === code.lineFeed
      if (isLineBegin) line++
      if (depth === 0) {
        if (byte === code.open) {
          ;[from, firstLine, depth] = [at, line, 1]
        } else if (!between.has(byte) && strangeLine !== line) {
          strangeLine = line
          yield { line, text: null }
        }
      } else if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === code.backslash) isEscaped = true
        else if (byte === code.quote) isText = false
      } else if (byte === code.quote) isText = true
      else if (byte === code.open) depth++
      else if (byte === code.close && --depth === 0) {
        bufferTo(at + 1)
        yield end()
      }
    }
    if (depth > 0) bufferTo(chunk.length)
  }
  if (depth > 0) yield end()
}
