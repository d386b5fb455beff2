/**
 * A compiled campaign as bytes: laid out once, then copied for each recipient with a few slots
 * filled.
 */
import type {
  MergeRecipient,
  CompiledCampaign,
  FilledMail,
  PersonalTokens,
  Template,
} from '../merge/compiled-campaign.ts'
import { expandMarks, joinPieces, writeValue, type Expansion } from '../merge/expand-marks.ts'
import { addressHeader, textHeader } from '../mime/header-lines.ts'
import { createLayout, tokenLengths, type Stretch, type Value } from './mail-layout.ts'
import { clean, mergeValue, type MergeValues } from '../merge/merge-tags.ts'
import { columnMax, encodePiece } from '../mime/quoted-printable.ts'
import { allocateMail } from '../mime/slab.ts'
import { hasMark } from '../merge/slots.ts'

/** Laid out when it is first filled: a millisecond of work. `fill` then costs microseconds. */
export function openTemplate(compiled: CompiledCampaign): Template {
  const { subject, html, text } = compiled
  const writeHead = createHeadWriter(compiled)
  let layout: Layout | null = null
  const read = (
    marked: string,
    part: Expansion['part'],
    contact: MergeValues | null,
    tokens: PersonalTokens | null,
  ): string =>
    joinPieces(
      expandMarks(marked, { compiled, part, personal: tokens !== null, pixel: false }),
      contact,
      tokens,
    )
  return {
    fill: (recipient) => copy(writeHead(recipient), (layout ??= layOut(compiled)), recipient),
    renderHtml: (contact, tokens) => read(html, 'html', contact, tokens),
    renderText: (contact, tokens) => read(text, 'text', contact, tokens),
    renderSubject: (contact) => read(subject, 'text', contact, null),
  }
}

/** Headers that differ from one recipient to the next, and those that always stand before them. */
function createHeadWriter(compiled: CompiledCampaign): (recipient: MergeRecipient) => string {
  const { replyTo = [] } = compiled
  const from =
    addressHeader('From', [compiled.from]) +
    (replyTo.length === 0 ? '' : addressHeader('Reply-To', replyTo))
  const subject = expandMarks(compiled.subject, {
    compiled,
    part: 'text',
    personal: false,
    pixel: false,
  })
  const sameSubject = hasMark(compiled.subject) ? null : textHeader('Subject', compiled.subject)
  const dateLine = rememberLast(writeDate)
  return (recipient) => {
    const to = recipientHeader(recipient)
    const subjectLine = sameSubject ?? textHeader('Subject', joinPieces(subject, recipient, null))
    const date = dateLine(Math.floor(recipient.date.getTime() / 1000))
    return `${from}${to}${subjectLine}${date}Message-ID: <${recipient.messageId}>\r\n${recipient.headers ?? ''}`
  }
}

/** The To of a recipient's copy. */
export const recipientHeader = (recipient: MergeValues & { email: string }): string =>
  addressHeader('To', [{ name: displayName(recipient), address: recipient.email }])

interface Layout {
  stretches: Stretch[]
  /** Bytes of all stretches. */
  fixed: number
}

/**
 * Everything behind the headers that differ. Quoted-printable whatever the content: any value may
 * follow.
 */
function layOut(compiled: CompiledCampaign): Layout {
  const how = { compiled, personal: true, pixel: true }
  const { boundary } = compiled
  const part = (subtype: string): string =>
    `--${boundary}\r\nContent-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`
  const layout = createLayout()
  layout.addRaw(expandMarks(compiled.listHeaders, { ...how, part: 'text' }))
  layout.addRaw([
    `MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`,
    part('plain'),
  ])
  layout.addEncoded(expandMarks(compiled.text, { ...how, part: 'text' }))
  layout.addRaw(['\r\n', part('html')])
  layout.addEncoded(expandMarks(compiled.html, { ...how, part: 'html' }))
  layout.addRaw([`\r\n--${boundary}--\r\n`])
  const stretches = layout.finish()
  return { stretches, fixed: stretches.reduce((sum, { bytes }) => sum + bytes.length, 0) }
}

function copy(head: string, { stretches, fixed }: Layout, recipient: MergeRecipient): FilledMail {
  const utf8 = !/^[\0-\x7f]*$/.test(head)
  const values = stretches.map(({ value }) => (value === null ? '' : encodeValue(value, recipient)))
  const length = values.reduce(
    (sum, value) => sum + value.length,
    fixed + (utf8 ? Buffer.byteLength(head) : head.length),
  )
  const bytes = allocateMail(length)
  let at = bytes.write(head, 0, utf8 ? 'utf8' : 'latin1')
  stretches.forEach((stretch, i) => {
    bytes.set(stretch.bytes, at)
    for (const hole of stretch.holes)
      writeToken(bytes, at + hole.at, {
        text: recipient.tokens[hole.token],
        length: tokenLengths[hole.token],
      })
    at += stretch.bytes.length
    const value = values[i]
    if (value) at += bytes.write(value, at, 'latin1')
  })
  return { bytes, utf8 }
}

/** A token of another length would leave bytes of another mail's memory in this one. */
function writeToken(
  bytes: Buffer,
  at: number,
  { text, length }: { text: string | null | undefined; length: number },
): void {
  if (text?.length !== length) throw new Error(`A token of a mail has ${length} characters`)
  bytes.write(text, at, 'latin1')
}

function encodeValue({ tag, context, column }: Value, contact: MergeValues): string {
  const value = writeValue(mergeValue(tag, contact), context)
  if (value.length <= columnMax - column && harmlessPattern.test(value)) return value
  return encodePiece(value, column).text
}

/** Letters and signs that quoted-printable leaves alone, wherever on a line they stand. */
const harmlessPattern = /^[!-\-/-<>-EG-~][ -<>-~]*[!-<>-~]$/

const displayName = ({ firstName, lastName }: MergeValues): string | null => {
  const name = clean(`${firstName ?? ''} ${lastName ?? ''}`).trim()
  return name === '' ? null : name
}

const writeDate = (second: number): string =>
  `Date: ${new Date(second * 1000).toUTCString().replace('GMT', '+0000')}\r\n`

function rememberLast<T>(make: (key: number) => T): (key: number) => T {
  let last: { key: number; value: T } | null = null
  return (key) => (last?.key === key ? last.value : (last = { key, value: make(key) }).value)
}
