/**
 * Reads a mail that a program handed in by SMTP (RFC 6409): which of its headers stay, which are
 * for
 * us, and its content. It only parses: run it where it may be stopped.
 */
import { limits } from '../../contract/limits.ts'
import type { Mailbox } from '../../ground/address.ts'
import { decodeWords } from '../mime/decode-words.ts'
import { headersMax, isReserved, namePattern } from '../mime/filter-headers.ts'
import { decodeCharset } from './decode-charset.ts'
import { readSubmittedContent, type SubmittedContent } from './read-submitted-content.ts'
import { splitMail } from '../reports/mime-parts.ts'
import { Unacceptable } from './unacceptable.ts'
import {
  isCarried,
  readEach,
  readFrom,
  readWritten,
  type WrittenAddresses,
} from './written-addresses.ts'

export interface SubmittedMail extends SubmittedContent {
  from: Mailbox
  to: WrittenAddresses
  cc: WrittenAddresses
  replyTo: Mailbox[]
  subject: string
  /** Without its brackets. Null if it has none that mail can be threaded by. */
  messageId: string | null
  /** As written. Null if it has none that readers understand. */
  date: string | null
  /** The headers that stay, in their order. */
  headers: [string, string][]
  /** The names of headers that the rules drop, each once. */
  dropped: string[]
  /** What the mail asks of us; these headers never leave. */
  asks: {
    idempotencyKey: string | null
    tags: { name: string; value: string }[]
    track: { opens: boolean; clicks: boolean }
  }
}

/** Throws `Unacceptable`. Line ends are CRLF: the entry point refuses any other. */
export function readSubmission(raw: Buffer): SubmittedMail {
  const mail = split(raw)
  const header = readHeader(mail.fields)
  return { ...header, ...readSubmittedContent(mail) }
}

function split(raw: Buffer): ReturnType<typeof splitMail> {
  try {
    // It bounds the length of the header.
    const mail = splitMail(raw)
    checkHeaderLines(raw)
    return mail
  } catch (error) {
    if (error instanceof Unacceptable) throw error
    throw new Unacceptable('malformed', `it has ${error instanceof Error ? error.message : ''}`)
  }
}

/** A line that is no header would hide those behind it from other readers. */
function checkHeaderLines(raw: Buffer): void {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw.toString('latin1', 0, end === -1 ? raw.length : end).split('\r\n')
  const isHeader = /^(?:[ \t]|[!-9;-~]+[ \t]*:)/
  const wrong = lines.findIndex((line) => line !== '' && !isHeader.test(line))
  if (wrong !== -1 || /^[ \t]/.test(lines[0] ?? ''))
    throw new Unacceptable('malformed', `line ${Math.max(0, wrong) + 1} of it is no header`)
}

type Fields = ReturnType<typeof splitMail>['fields']

/**
 * The names that this file reads or that the composer writes, and which are not named as dropped.
 */
const ownNames = new Set([
  ...['from', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'message-id', 'date', 'mime-version'],
  ...['content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...['x-facteur-idempotency-key', 'resend-idempotency-key', 'x-facteur-track'],
])
const tagPrefix = 'x-facteur-tag-'

function readHeader(fields: Fields): Omit<SubmittedMail, keyof SubmittedContent> {
  const values = (name: string): string[] => (fields.get(name) ?? []).map(valueOf)
  const first = (name: string): string => values(name)[0]?.trim() ?? ''
  const headers = keepHeaders(fields)
  const messageId = /^<([!-;=?-~]{1,200}@[!-;=?-~]{1,200})>$/.exec(first('message-id'))?.[1] ?? null
  const date = isDate(first('date')) ? first('date') : null
  // Others take their place.
  if (first('message-id') !== '' && messageId === null) headers.dropped.push('Message-ID')
  if (first('date') !== '' && date === null) headers.dropped.push('Date')
  const key = first('x-facteur-idempotency-key') || first('resend-idempotency-key')
  return {
    ...headers,
    from: readFrom(values('from')),
    to: readWritten(values('to')),
    cc: readWritten(values('cc')),
    replyTo: values('reply-to').some((text) => text.trim())
      ? readEach(values('reply-to'), 'Reply-To')
      : [],
    subject: readSubject(first('subject')),
    ...{ messageId, date },
    asks: {
      idempotencyKey: readKey(key),
      tags: readTags(fields),
      track: readTrack(first('x-facteur-track')),
    },
  }
}

/** Unfolded (RFC 5322 2.2.3). A header is ASCII or UTF-8 (RFC 6532); old programs write Latin-1. */
function valueOf(field: string): string {
  const value = field.slice(field.indexOf(':') + 1).replaceAll(/\r\n[ \t]*|\t/g, ' ')
  const text = /^[\x20-\x7e]*$/.test(value)
    ? value
    : decodeCharset(Buffer.from(value, 'latin1'), null)
  // oxlint-disable-next-line no-control-regex -- no header of ours may hold one
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
}

function readSubject(text: string): string {
  // oxlint-disable-next-line no-control-regex -- an encoded word may bring one
  const subject = decodeWords(text).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
  if ([...subject].length > limits.subjectMax)
    throw new Unacceptable('malformed', `its subject has more than ${limits.subjectMax} characters`)
  return subject.toWellFormed()
}

/** RFC 5322 3.3, with the zones of 4.3. */
const isDate = (text: string): boolean =>
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ?)?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:[+-]\d{4}|GMT|UTC?|[ECMP][SD]T)(?: \([\w +-]{1,40}\))?$/.test(
    text,
  ) && !Number.isNaN(Date.parse(text.replace(/ \(.*$/, '')))

/** What callers may set, by the rules of `headers` (spec: EmailRequest); a name may stand twice. */
function keepHeaders(fields: Fields): Pick<SubmittedMail, 'headers' | 'dropped'> {
  const headers: [string, string][] = []
  const dropped = new Set<string>()
  let length = 0
  for (const [name, same] of fields) {
    if (ownNames.has(name) || name.startsWith(tagPrefix)) continue
    for (const field of same) {
      const written = field.slice(0, field.indexOf(':')).trimEnd()
      const trimmed = valueOf(field).trim()
      // What is ASCII leaves as it was written: an address beside an encoded name stays one.
      const value = isCarried(trimmed) ? trimmed : decodeWords(trimmed).toWellFormed()
      if (
        isReserved(name) ||
        name.startsWith('x-facteur-') ||
        !namePattern.test(written) ||
        /[\r\n\0]/.test(value)
      )
        dropped.add(written.slice(0, 76))
      else {
        length += written.length + Buffer.byteLength(value)
        headers.push([written, value])
      }
    }
  }
  if (length > headersMax)
    throw new Unacceptable('too_large', `its headers have more than ${headersMax} bytes`)
  return { headers, dropped: [...dropped].slice(0, droppedMax) }
}

const droppedMax = 50

function readKey(text: string): string | null {
  if (text.length > limits.idempotencyKeyMax)
    throw new Unacceptable(
      'malformed',
      `its idempotency key has more than ${limits.idempotencyKeyMax} characters`,
    )
  return text || null
}

/** `X-Facteur-Tag-order: 1042`; the case of the name stays. */
function readTags(fields: Fields): { name: string; value: string }[] {
  const tags = [...fields].flatMap(([name, same]) =>
    name.startsWith(tagPrefix) && name.length > tagPrefix.length
      ? same.map((field) => ({
          name: field.slice(tagPrefix.length, field.indexOf(':')).trimEnd(),
          value: decodeWords(valueOf(field).trim()),
        }))
      : [],
  )
  if (tags.length > limits.tagsObjectMax)
    throw new Unacceptable('malformed', `it has more than ${limits.tagsObjectMax} tags`)
  return tags
}

function readTrack(text: string): { opens: boolean; clicks: boolean } {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '')
  const unknown = words.find((word) => !['opens', 'clicks', 'none'].includes(word))
  if (unknown !== undefined)
    throw new Unacceptable('malformed', 'X-Facteur-Track takes "opens", "clicks", both, or "none"')
  return { opens: words.includes('opens'), clicks: words.includes('clicks') }
}
