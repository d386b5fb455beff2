/** Words that a workspace writes for others to read: trimmed, and without characters that hide or turn what stands beside them. */
import { settingLimits } from './workspace/setting-limits.ts'

const harmful = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** One line of 1 to `most` characters; null for any other text. */
export function readLine(text: string, most: number): string | null {
  const line = text.trim()
  return line !== '' && [...line].length <= most && !harmful.test(line) ? line : null
}

/** The same with line feeds, however they were written. */
export function splitLines(text: string, most: number): string | null {
  const lines = text.replaceAll(/\r\n?/g, '\n').trim()
  return lines !== '' && [...lines].length <= most && !harmful.test(lines.replaceAll('\n', ' ')) ? lines : null
}

/** Lines of a postal address; empty ones are left out. */
export function readAddressLines(text: string): string | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim())
  return splitLines(lines.filter((line) => line !== '').join('\n'), settingLimits.postalAddressMax)
}
