/**
 * Validates texts that a workspace writes for readers: trimmed, and without hidden characters or
 * those that change the reading direction.
 */
import { settingLimits } from './workspace/setting-limits.ts'

const harmful = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Returns one line of 1 to `max` characters; null for any other text. */
export function readLine(text: string, max: number): string | null {
  const line = text.trim()
  return line !== '' && [...line].length <= max && !harmful.test(line) ? line : null
}

/** The same for several lines; all kinds of line breaks become line feeds. */
export function splitLines(text: string, max: number): string | null {
  const lines = text.replaceAll(/\r\n?/g, '\n').trim()
  return lines !== '' && [...lines].length <= max && !harmful.test(lines.replaceAll('\n', ' '))
    ? lines
    : null
}

/** Returns the lines of a postal address without empty ones. */
export function readAddressLines(text: string): string | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim())
  return splitLines(lines.filter((line) => line !== '').join('\n'), settingLimits.postalAddressMax)
}
