/**
 * Memory for mails in flight: slices of large buffers, since thousands of small ones a second would
 * keep the garbage collector busy.
 */

const slabBytes = 1_048_576

let slab = Buffer.allocUnsafeSlow(slabBytes)
let used = 0

/**
 * Not zeroed: the caller writes all of it. For short-lived bytes only; a long-lived one would hold
 * its whole slab.
 */
export function allocateMail(size: number): Buffer {
  if (size > slabBytes / 8) return Buffer.allocUnsafeSlow(size)
  if (used + size > slabBytes) {
    slab = Buffer.allocUnsafeSlow(slabBytes)
    used = 0
  }
  used += size
  return slab.subarray(used - size, used)
}
