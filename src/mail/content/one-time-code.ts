/** Finds the code to type in a mail, such as that of a sign-up, for tests that read the mail. */

/**
 * Digits that stand alone: no part of a word, an address, a longer number, an amount, a date or a
 * time. Each alternative begins with another character, so that the time stays in proportion.
 */
const groups =
  /(?<![\p{L}\p{N}\p{Sc}_@+])(?<!\p{N}[.,:/\-'’\u00a0\u202f])[0-9]{4,8}(?![\p{L}\p{N}_@]|[.,:/\-'’\u00a0\u202f]\p{N})/gu
/** What is no text to read: addresses of the web and of mailboxes. */
const addresses = /https?:\/\/[^\s<>"]{1,4000}/gi
const word = /code/gi

/**
 * The one group of 4 to 8 digits, or of several the one nearest to the word "code". Null if there
 * is none, or several without that word.
 */
export function oneTimeCode(text: string): string | null {
  const readable = text.replaceAll(addresses, (address) => ' '.repeat(address.length))
  const result = [...readable.matchAll(groups)].map(({ 0: digits, index }) => ({ digits, index }))
  const [first] = result
  if (!first || result.every(({ digits }) => digits === first.digits)) return first?.digits ?? null
  const words = [...readable.matchAll(word)].map(({ index }) => index)
  if (words.length === 0) return null
  let nearest = { digits: first.digits, distance: Infinity }
  let at = 0
  for (const { digits, index } of result) {
    // The words come in order: the nearest is the last one before the digits, or the next one.
    while (at + 1 < words.length && (words[at + 1] ?? 0) <= index) at++
    for (const position of [words[at] ?? 0, words[at + 1] ?? Infinity]) {
      const distance =
        position < index ? index - (position + 'code'.length) : position - (index + digits.length)
      if (distance < nearest.distance) nearest = { digits, distance }
    }
  }
  return nearest.digits
}
