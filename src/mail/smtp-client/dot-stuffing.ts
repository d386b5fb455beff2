/** Makes a message's bytes fit for DATA: CRLF line ends only, dots doubled at line starts (RFC 5321 4.5.2), a CRLF at the end. */

const LF = 10
const CR = 13
const DOT = 46

/**
 * Answers the same Buffer when nothing is to be done, which is the usual case.
 * A bare CR or LF becomes CRLF: peers disagree on what ends a line, and a lone `LF . LF` that one of them takes for the end of
 * the data would let a message smuggle another one in (RFC 5321 2.3.8 and 4.1.1.4).
 */
export function stuffDots(bytes: Buffer): Buffer {
  return isReady(bytes) ? bytes : rewrite(bytes)
}

/** A bare CR, a bare LF, or a dot at the start of a line that is not the first. */
const notReady = /\r(?!\n)|(?<!\r)\n|\n\./
const SLICE_OCTETS = 65_536

/** Whether the bytes can go as they are. Slices overlap by an octet, so that a pair on their border is seen whole. */
function isReady(bytes: Buffer): boolean {
  const length = bytes.length
  if (bytes[0] === DOT || bytes[length - 1] !== LF) return false
  for (let from = 0; from < length;) {
    let to = Math.min(from + SLICE_OCTETS, length)
    if (bytes[to - 1] === CR) to++
    if (bytes[to - 1] === LF && bytes[to] === DOT) return false
    if (notReady.test(bytes.toString('latin1', from, to))) return false
    from = to
  }
  return true
}

function rewrite(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(sizeOfRewritten(bytes))
  let to = 0
  let atLineStart = true
  for (let from = 0; from < bytes.length; from++) {
    const byte = bytes[from] ?? 0
    if (atLineStart && byte === DOT) out[to++] = DOT
    atLineStart = byte === CR || byte === LF
    if (!atLineStart) {
      out[to++] = byte
      continue
    }
    if (byte === CR && bytes[from + 1] === LF) from++
    out[to++] = CR
    out[to++] = LF
  }
  if (!atLineStart) {
    out[to++] = CR
    out[to++] = LF
  }
  return out.subarray(0, to)
}

/** An upper bound: each bare line end and each dot at a line start adds one octet, the missing last line end two. */
function sizeOfRewritten(bytes: Buffer): number {
  let size = bytes.length + 3
  for (const byte of bytes) if (byte === CR || byte === LF || byte === DOT) size++
  return size
}
