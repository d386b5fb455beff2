/**
 * Header lines (RFC 5322 2.2, RFC 6532): folds a name and a value into lines that end in CRLF, and
 * allows no injection.
 */
import { encodeWords } from './encoded-words.ts'
import type { Mailbox } from '../../ground/address.ts'

/**
 * RFC 2047 2 allows 76 characters to a line with encoded words; other lines may have 78, but one
 * rule is enough.
 */
const lineMax = 76

/**
 * A word that cannot be folded stays as it is up to here; with a name of 76 in front it keeps below
 * 998 (RFC 5322 2.1.1).
 */
const wordMax = 900

/** A header of the caller's. */
export const callersHeader = (name: string, value: string): string =>
  idHeaders.has(name.toLowerCase()) ? idsHeader(name, value) : textHeader(name, value)

/** A header of a mail that somebody else composed: its encoded words are no text. */
export const writtenCallersHeader = (name: string, value: string): string =>
  /^[\x20-\x7e]*=\?[\x20-\x7e]*$/.test(value) && !longWordPattern.test(value)
    ? foldWords(name, value.trim().split(/ +/))
    : callersHeader(name, value)

const idHeaders: ReadonlySet<string> = new Set(['references', 'in-reply-to'])

/**
 * Message ids, which are never encoded words (RFC 2047 5(3)); white space between them is no part
 * of them (RFC 5322 3.6.4). A word that no header can hold as it is goes; a header without a word
 * too.
 */
function idsHeader(name: string, value: string): string {
  const words = value.replaceAll('><', '> <').split(/\s+/)
  const ids = words.filter((word) => /^[!-~]+$/.test(word) && word.length <= wordMax)
  return ids.length === 0 ? '' : foldWords(name, ids)
}

/** A header of free text, as Subject is. Any value whatever comes out as one safe header. */
export function textHeader(name: string, value: string): string {
  if (isPlain(value))
    return name.length + 2 + value.length <= lineMax
      ? `${name}: ${value}\r\n`
      : foldWords(name, value.split(' '))
  const room = lineMax - name.length - 2
  // Too little room beside a long name: the first word goes to the next line.
  if (room < 32) return `${name}:\r\n ${encodeWords(value).join('\r\n ')}\r\n`
  return `${name}: ${encodeWords(value, { firstMax: room }).join('\r\n ')}\r\n`
}

/** As `parseMailbox` made it: the address holds nothing that could end it. */
export type HeaderMailbox = Pick<Mailbox, 'name' | 'address'>

/** A header of mailboxes: From, To, Cc, Reply-To. */
export function addressHeader(name: string, mailboxes: readonly HeaderMailbox[]): string {
  const words: string[] = []
  for (const [i, mailbox] of mailboxes.entries()) {
    const comma = i === mailboxes.length - 1 ? '' : ','
    if (mailbox.name === null) {
      words.push(mailbox.address + comma)
    } else {
      words.push(...toPhrase(mailbox.name), `<${mailbox.address}>${comma}`)
    }
  }
  return foldWords(name, words)
}

/**
 * Joins words by spaces, by a fold where the line would grow too long. No word is empty, so no line
 * is only white space.
 */
export function foldWords(name: string, words: readonly string[]): string {
  let text = `${name}:`
  let length = text.length
  for (const [i, word] of words.entries()) {
    if (length + 1 + word.length > lineMax && i > 0) {
      text += `\r\n ${word}`
      length = 1 + word.length
    } else {
      text += ` ${word}`
      length += 1 + word.length
    }
  }
  return `${text}\r\n`
}

/**
 * Whether readers give a text back unchanged when it is written as it is: printable ASCII, nothing
 * that looks like an encoded word, no spaces that they would trim or melt together, no word beyond
 * what a line can hold.
 */
function isPlain(value: string): boolean {
  return (
    !/[^\x20-\x7e]|=\?|^ |  | $/.test(value) &&
    (value.length <= wordMax || !longWordPattern.test(value))
  )
}

const longWordPattern = new RegExp(`[^ ]{${wordMax + 1}}`)

const atomsPattern = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

/**
 * A display name as the words of a phrase (RFC 5322 3.2.5): atoms, one quoted string, or encoded
 * words.
 */
function toPhrase(name: string): string[] {
  // 64: beside the longest name, `Reply-To: `, a word still fits the first line.
  if (!isPlain(name) || name.length > 60) return encodeWords(name, { firstMax: 64, max: 64 })
  return [atomsPattern.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`]
}
