/** Memory for mails on their way: cut from large pieces, since thousands a second of a few KB each would keep the collector busy. */

const slabOctets = 1_048_576

let slab = Buffer.allocUnsafeSlow(slabOctets)
let used = 0

/** Not zeroed: the caller writes all of it. For what is short-lived; what is kept would keep its whole slab. */
export function allocateMail(octets: number): Buffer {
  if (octets > slabOctets / 8) return Buffer.allocUnsafeSlow(octets)
  if (used + octets > slabOctets) {
    slab = Buffer.allocUnsafeSlow(slabOctets)
    used = 0
  }
  used += octets
  return slab.subarray(used - octets, used)
}
