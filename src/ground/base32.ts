/**
 * Encodes bytes as lower-case base32 without padding (RFC 4648 6), for texts that others may write
 * in another case.
 */

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

export function toBase32(bytes: Buffer): string {
  let text = ''
  let carry = 0
  let bits = 0
  for (const byte of bytes) {
    carry = (carry << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(carry >> bits) & 31] ?? ''
    }
    carry &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + (alphabet[(carry << (5 - bits)) & 31] ?? '')
}

/** Null when it is no base32, or not the one text that encodes its bytes (RFC 4648 3.5). */
export function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc((text.length * 5) >> 3)
  let carry = 0
  let bits = 0
  let at = 0
  for (const letter of text) {
    const value = alphabet.indexOf(letter)
    if (value === -1) return null
    carry = (carry << 5) | value
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = carry >> bits
    }
    carry &= (1 << bits) - 1
  }
  return bits < 5 && carry === 0 ? bytes : null
}
