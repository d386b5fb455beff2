/** A compiled campaign laid out into bytes once, then copied for each recipient with a few slots filled. */
import type { CampaignRecipient, CompiledCampaign, FilledMail, PersonalTokens, Template } from './compiled-campaign.ts'
import { expandMarks, joinPieces, writeValue, type Expansion } from './expand-marks.ts'
import { addressHeader, textHeader } from './header-lines.ts'
import { createLayout, tokenLength, type Stretch, type Value } from './mail-layout.ts'
import { clean, mergeValue, type Person } from './merge-tags.ts'
import { columnMax, encodePiece } from './quoted-printable.ts'
import { hasMark } from './slots.ts'

/** A millisecond of work for each process that sends; `fill` then costs microseconds. */
export function openTemplate(compiled: CompiledCampaign): Template {
  const { subject, html, text } = compiled
  const inMail = { compiled, personal: true, pixel: true }
  const stretches = layOut(compiled)
  const fixed = stretches.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const from = addressHeader('From', [compiled.from])
  const subjectPieces = expandMarks(subject, { ...inMail, part: 'text' })
  const fixedSubject = hasMark(subject) ? null : textHeader('Subject', subject)
  const dateLine = rememberLast(writeDate)

  const headOf = (recipient: CampaignRecipient): string => {
    const to = addressHeader('To', [{ name: displayName(recipient), address: recipient.email }])
    const subjectLine = fixedSubject ?? textHeader('Subject', joinPieces(subjectPieces, recipient, null))
    const second = Math.floor(recipient.date.getTime() / 1000)
    return `${from}${to}${subjectLine}${dateLine(second)}Message-ID: <${recipient.messageId}>\r\n`
  }
  const read = (marked: string, part: Expansion['part'], person: Person | null, tokens: PersonalTokens | null): string =>
    joinPieces(expandMarks(marked, { compiled, part, personal: tokens !== null, pixel: false }), person, tokens)

  return {
    fill: (recipient) => copy({ head: headOf(recipient), stretches, fixed, recipient }),
    renderHtml: (person, tokens) => read(html, 'html', person, tokens),
    renderText: (person, tokens) => read(text, 'text', person, tokens),
    renderSubject: (person) => read(subject, 'text', person, null),
  }
}

/** Everything behind the headers that differ. Quoted-printable whatever the content: any value may follow. */
function layOut(compiled: CompiledCampaign): Stretch[] {
  const how = { compiled, personal: true, pixel: true }
  const { boundary } = compiled
  const part = (subtype: string): string =>
    `--${boundary}\r\nContent-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`
  const layout = createLayout()
  layout.addRaw(expandMarks(compiled.listHeaders, { ...how, part: 'text' }))
  layout.addRaw([`MIME-Version: 1.0\r\nContent-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`, part('plain')])
  layout.addEncoded(expandMarks(compiled.text, { ...how, part: 'text' }))
  layout.addRaw(['\r\n', part('html')])
  layout.addEncoded(expandMarks(compiled.html, { ...how, part: 'html' }))
  layout.addRaw([`\r\n--${boundary}--\r\n`])
  return layout.finish()
}

interface Copy {
  head: string
  stretches: readonly Stretch[]
  /** Bytes of all stretches. */
  fixed: number
  recipient: CampaignRecipient
}

function copy({ head, stretches, fixed, recipient }: Copy): FilledMail {
  const utf8 = !/^[\0-\x7f]*$/.test(head)
  const values = stretches.map(({ value }) => (value === null ? '' : encodeValue(value, recipient)))
  const length = values.reduce((sum, value) => sum + value.length, fixed + (utf8 ? Buffer.byteLength(head) : head.length))
  const bytes = Buffer.allocUnsafe(length)
  let at = bytes.write(head, 0, utf8 ? 'utf8' : 'latin1')
  stretches.forEach((stretch, i) => {
    bytes.set(stretch.bytes, at)
    for (const hole of stretch.holes) writeToken(bytes, at + hole.at, recipient.tokens[hole.token])
    at += stretch.bytes.length
    const value = values[i]
    if (value) at += bytes.write(value, at, 'latin1')
  })
  return { bytes, utf8 }
}

/** A token of another length would leave bytes of somebody else's memory in the mail. */
function writeToken(bytes: Buffer, at: number, token: string): void {
  if (token.length !== tokenLength) throw new Error(`A link token has ${tokenLength} characters`)
  bytes.write(token, at, 'latin1')
}

function encodeValue({ tag, place, column }: Value, person: Person): string {
  const value = writeValue(mergeValue(tag, person), place)
  if (value.length <= columnMax - column && harmlessPattern.test(value)) return value
  return encodePiece(value, column).text
}

/** Letters and signs that quoted-printable leaves alone, wherever on a line they stand. */
const harmlessPattern = /^[!-<>-EG-~][ -<>-~]*[!-<>-~]$/

const displayName = ({ firstName, lastName }: Person): string | null => {
  const name = clean(`${firstName ?? ''} ${lastName ?? ''}`).trim()
  return name === '' ? null : name
}

const writeDate = (second: number): string => `Date: ${new Date(second * 1000).toUTCString().replace('GMT', '+0000')}\r\n`

function rememberLast<T>(make: (key: number) => T): (key: number) => T {
  let last: { key: number; made: T } | null = null
  return (key) => (last?.key === key ? last.made : (last = { key, made: make(key) }).made)
}
