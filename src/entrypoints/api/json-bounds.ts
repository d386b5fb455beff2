/** Finds out before a large body is parsed whether it holds more values than a call may. */
import { limits } from '../../contract/limits.ts'

/**
 * Whether lists, objects and commas before anything but a number outnumber the values that a body
 * may hold. Parsing ten million empty objects would take a second and half a gigabyte before a
 * count. Numbers are counted after parsing: they are cheap, and a file may be a list of them.
 */
export function isTooMuch(bytes: Buffer): boolean {
  let result = 0
  let inText = false
  let afterComma = false
  for (let index = 0; index < bytes.length; index++) {
    const octet = bytes[index] ?? 0
    if (inText) {
      if (octet === backslash) index++
      else if (octet === quote) inText = false
      continue
    }
    if (octet <= space) continue
    if (octet === bracket || octet === brace || (afterComma && !isNumberStart(octet))) result++
    afterComma = octet === comma
    inText = octet === quote
    if (result > limits.jsonValuesMax) return true
  }
  return false
}

const [space, quote, comma, backslash, bracket, brace] = [0x20, 0x22, 0x2c, 0x5c, 0x5b, 0x7b]

/** A digit or a minus sign. */
const isNumberStart = (octet: number): boolean => (octet >= 0x30 && octet <= 0x39) || octet === 0x2d
