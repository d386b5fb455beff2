/**
 * Prepares a message's bytes for DATA: CRLF line ends only, dots doubled at line starts (RFC 5321
 * 4.5.2), a CRLF at the end.
 */
import { allocateMail } from '../mime/slab.ts'

const LF = 10
const CR = 13
const DOT = 46

/**
 * Answers the same Buffer when nothing is to be done, which is the usual case. A bare CR or LF
 * becomes CRLF: peers disagree on what ends a line, and a lone `LF . LF` that one of them takes for
 * the end of the data would let a message smuggle another one in (RFC 5321 2.3.8 and 4.1.1.4).
 */
export function stuffDots(bytes: Buffer): Buffer {
  return bytes[bytes.length - 1] === LF && hasOnlyCrlf(bytes) ? doubleDots(bytes) : rewrite(bytes)
}

/** A bare CR or a bare LF. */
const bareEnd = /\r(?!\n)|(?<!\r)\n/
const SLICE_OCTETS = 65_536

/** Slices never end between CR and LF, so that a pair at their border stays together. */
function hasOnlyCrlf(bytes: Buffer): boolean {
  const length = bytes.length
  for (let from = 0; from < length;) {
    let to = Math.min(from + SLICE_OCTETS, length)
    if (bytes[to - 1] === CR) to++
    if (bareEnd.test(bytes.toString('latin1', from, to))) return false
    from = to
  }
  return true
}

/** Line ends are right: the search is only for dots at line starts. */
function doubleDots(bytes: Buffer): Buffer {
  const dots = bytes[0] === DOT ? [0] : []
  for (let at = bytes.indexOf('\n.'); at !== -1; at = bytes.indexOf('\n.', at + 2))
    dots.push(at + 1)
  if (dots.length === 0) return bytes
  const out = allocateMail(bytes.length + dots.length)
  let from = 0
  for (const [index, dot] of dots.entries()) {
    bytes.copy(out, from + index, from, dot)
    out[dot + index] = DOT
    from = dot
  }
  bytes.copy(out, from + dots.length, from)
  return out
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

/**
 * An upper bound: each bare line end and each dot at a line start adds one octet, the missing last
 * line end two.
 */
function sizeOfRewritten(bytes: Buffer): number {
  let size = bytes.length + 3
  for (const byte of bytes) if (byte === CR || byte === LF || byte === DOT) size++
  return size
}
