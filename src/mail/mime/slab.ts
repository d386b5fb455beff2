/**
 * Memory for mails in flight: slices of large buffers, since thousands of small ones a second would keep the garbage
 * collector busy.
 */

const slabOctets = 1_048_576

let slab = Buffer.allocUnsafeSlow(slabOctets)
let used = 0

/** Not zeroed: the caller writes all of it. For short-lived bytes only; a long-lived one would hold its whole slab. */
export function allocateMail(octets: number): Buffer {
  if (octets > slabOctets / 8) return Buffer.allocUnsafeSlow(octets)
  if (used + octets > slabOctets) {
    slab = Buffer.allocUnsafeSlow(slabOctets)
    used = 0
  }
  used += octets
  return slab.subarray(used - octets, used)
}
