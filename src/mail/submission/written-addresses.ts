/** Reads the addresses of a header that a program wrote (RFC 5322 3.4): groups and comments too. */
import { addressParser } from 'postal-mime'
import { limits } from '../../contract/limits.ts'
import { formatMailbox, parseMailbox, type Mailbox } from '../../ground/address.ts'
import { decodeWords } from '../mime/decode-words.ts'
import { Unacceptable } from './unacceptable.ts'

export interface WrittenAddresses {
  /** The value as it was written, where a mail can carry it so. Null means write the mailboxes. */
  text: string | null
  mailboxes: Mailbox[]
}

/** `texts`: the values of all headers of this name, unfolded. */
export function readWritten(texts: readonly string[]): WrittenAddresses {
  const text = texts
    // A fold between two spaces would leave a line of white space alone (RFC 5322 3.2.2).
    .map((entry) => entry.replaceAll(/ +/g, ' ').trim())
    .filter((entry) => entry !== '')
    .join(', ')
  if (text === '') return { text: null, mailboxes: [] }
  if (text.length > writtenMax)
    throw new Unacceptable('too_large', `its recipients' header has more than ${writtenMax} bytes`)
  return { text: isCarried(text) ? text : null, mailboxes: mailboxesIn(text) }
}

/** Postfix takes everything beyond 102,400 bytes of headers for the body (header_size_limit). */
const writtenMax = 32_768

/** Each word fits a line (RFC 5322 2.1.1), and all of it is printable ASCII. */
export const isCarried = (text: string): boolean =>
  /^[\x20-\x7e]*$/.test(text) && !/[^ ]{900}/.test(text)

/** The mailboxes that we can write to; names of groups and what is no address are left out. */
function mailboxesIn(text: string): Mailbox[] {
  return addressParser(text, { flatten: true }).flatMap((entry) => {
    const read = mailboxOf(entry.name ?? '', entry.address ?? '')
    return read === null ? [] : [read]
  })
}

/** Every entry has to be a mailbox: answers go there. */
export function readEach(texts: readonly string[], header: string): Mailbox[] {
  const entries = addressParser(texts.join(', '), { flatten: true })
  if (entries.length > limits.replyToMax)
    throw new Unacceptable('malformed', `${header} has more than ${limits.replyToMax} addresses`)
  return entries.map((entry) => {
    const read = mailboxOf(entry.name ?? '', entry.address ?? '')
    if (read === null) throw new Unacceptable('malformed', `${header} holds what is no address`)
    return read
  })
}

/** Exactly one mailbox (RFC 5322 3.6.2 allows several, with a Sender; spec: one). */
export function readFrom(texts: readonly string[]): Mailbox {
  const [text = '', second] = texts
  if (text.trim() === '') throw new Unacceptable('malformed', 'it has no From header')
  if (second !== undefined) throw new Unacceptable('malformed', 'it has two From headers')
  const [from, other] = readEach([text], 'From')
  if (!from || other) throw new Unacceptable('malformed', 'From has to name exactly one address')
  return from
}

/** A name that we would not take by HTTP either is left out. */
function mailboxOf(name: string, address: string): Mailbox | null {
  const decoded = decodeWords(name).replaceAll(/\s+/g, ' ').trim()
  const written = formatMailbox({ name: decoded || null, address })
  const named = parseMailbox(written)
  const isTaken = !('rule' in named) && [...written].length <= limits.addressMax
  const read = isTaken ? named : parseMailbox(address)
  return 'rule' in read ? null : read
}
