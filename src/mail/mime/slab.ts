/**
 * Memory for mails in flight: slices of large buffers, since thousands of small ones a second would keep the garbage
 * collector busy.
 */

const slabBytes = 1_048_576

let slab = Buffer.allocUnsafeSlow(slabBytes)
let used = 0

/** Not zeroed: the caller writes all of it. For short-lived bytes only; a long-lived one would hold its whole slab. */
export function allocateMail(octets: number): Buffer {
  if (octets > slabBytes / 8) return Buffer.allocUnsafeSlow(octets)
  if (used + octets > slabBytes) {
    slab = Buffer.allocUnsafeSlow(slabBytes)
    used = 0
  }
  used += octets
  return slab.subarray(used - octets, used)
}
