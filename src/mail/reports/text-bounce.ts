/**
 * Reads bounces that are written for readers, without a part for programs (RFC 3464), as qmail,
 * Exim, Zoho and others write them:
 *
 * 1. The mail is from a mail system, and says that it could not deliver: by its subject, by a
 *    sentence, by the reply that it quotes, or by what it says of an address.
 * 2. The text before the returned mail is the report.
 * 3. Its reason is, in this order: the fields of a notice for programs, the reply of a server, a
 *    sentence of the table, the words beside or below the address, the subject, a line that ends in
 *    the address.
 *
 * Any other mail is no bounce: recipients answer to the same address, and quote the mail that they
 * received.
 */
import { bounceClassOf, withoutAddresses } from './classify-bounce.ts'
import { readDeliveryStatus, type DsnRecipientStatus } from './dsn.ts'
import {
  introductions,
  noticeReasons,
  noticeSubjects,
  returnedMailBegins,
  signedIntroductions,
} from './notice-sentences.ts'

export interface PlainMail {
  /** Lower-case names, decoded values; null where the mail has no such field. */
  header(name: string): string | null
  text: string
}

const textMax = 20_000
const linesMax = 1_000
/** Characters of a line in which sentences are looked for. */
const lineMax = 1_000
const detailMax = 1_000

/** Null if it is no bounce. */
export function readTextBounce(mail: PlainMail): DsnRecipientStatus | null {
  const report = reportOf(mail.text)
  if (!isBounce(mail, report)) return null
  const fields = readDeliveryStatus(report.join('\n'))
  if (fields) return addReason(fields, report)
  const reason = readReason(report)
  return {
    action: isWarning(mail, report) ? 'delayed' : 'failed',
    code: reason.code,
    detail: reason.detail ?? reasonOfSubject(mail) ?? nearAddress(report),
  }
}

/**
 * Adds the reason from the human-readable part. OpenSMTPD writes `Status: 5.0.0` and no
 * Diagnostic-Code into the machine-readable part, and Exim does so where it found the reason
 * itself. RFC 6522 3 has both parts say the same.
 */
export const addWords = (status: DsnRecipientStatus, text: string): DsnRecipientStatus =>
  addReason(status, reportOf(text))

function addReason(status: DsnRecipientStatus, report: string[]): DsnRecipientStatus {
  const { code, detail } = status
  if (detail !== null && !/^[245]\.\d{1,3}\.\d{1,3}\b/.test(detail))
    return afterData(status, report)
  const reason = readReason(report)
  const isBare = code === null || /^[45]\.0\.0$/.test(code)
  return { ...status, code: isBare ? (reason.code ?? code) : code, detail: reason.detail ?? detail }
}

/**
 * The step that a server refused at, where only the text part says so, as Postfix and Courier do:
 * some mean another thing there.
 */
function afterData(status: DsnRecipientStatus, report: string[]): DsnRecipientStatus {
  // With PIPELINING, sendmail writes `>>> DATA` before the answers to RCPT too. The one to DATA is
  // then 503 (RFC 5321 4.1.4).
  const isRefusedData =
    report.some((line) => line.startsWith('>>> DATA')) &&
    !report.some((line) => line.startsWith('<<< 503'))
  const isAfterData =
    isRefusedData || report.some((line) => line.includes('in reply to end of DATA'))
  return isAfterData
    ? { ...status, detail: `${status.detail ?? ''} (in reply to end of DATA command)` }
    : status
}

/** Whether the mail is from a mail system: only then a sentence of the table counts. */
export function isFromMailSystem(mail: Pick<PlainMail, 'header'>): boolean {
  const from = (mail.header('from') ?? '').slice(0, lineMax).trim()
  // A missing or empty From (RFC 5321 4.5.5 has it of the envelope), or one without an address, is
  // a mail system's too.
  return (
    !from.includes('@') || mail.header('x-failed-recipients') !== null || mailSystems.test(from)
  )
}

const mailSystems =
  /mailer[- ]?daemon|post_?master|MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@|mdaemon|mail ?delivery|delivery (?:sub)?system|mail[ _-]?(?:system|service|administrator)|system administrator|\bndr\b/i

/** The same words of a human sender are no bounce. */
function isBounce(mail: PlainMail, report: string[]): boolean {
  if (mail.header('x-failed-recipients') !== null) return true
  if (report.some((line) => hasAny(signedIntroductions, line))) return true
  if (!isFromMailSystem(mail)) return false
  const subject = (mail.header('subject') ?? '').slice(0, lineMax)
  return (
    hasAny(noticeSubjects, subject) ||
    report.some((line) => hasAny(introductions, line)) ||
    findReply(report, coded) !== null ||
    entriesOf(report).some((entry) => bounceClassOf(null, wordsOf(entry) ?? '') === 'hard')
  )
}

const hasAny = (sentences: readonly { says: RegExp }[], text: string): boolean =>
  sentences.some(({ says }) => says.test(text))

/** The lines before the returned mail, which is our own. */
function reportOf(text: string): string[] {
  const lines = text
    .slice(0, textMax)
    .replaceAll(/\r\n?/g, '\n')
    .split('\n', linesMax)
    .map((line) => line.slice(0, lineMax).replace(zohoCodes, '$1 '))
  const end = lines.findIndex((line) => returnedMailBegins.test(line))
  return end === -1 ? lines : lines.slice(0, end)
}

/** Zoho writes `ERROR_CODE :550, ERROR_CODE :5.1.1 User unknown`. */
const zohoCodes = /ERROR_CODE :(\d{3}), ERROR_CODE :/

function readReason(report: string[]): Pick<DsnRecipientStatus, 'code' | 'detail'> {
  const entries = entriesOf(report)
  const codedReply = replyOf(report, entries, coded)
  const sentence = codedReply === null ? findSentence(report) : null
  const reply = sentence === null ? (codedReply ?? replyOf(report, entries, plainReply)) : null
  const detail = oneLine(
    reply ?? sentence ?? mildest(entries.map(wordsOf)) ?? belowMarker(report) ?? '',
  ).slice(0, detailMax)
  return { code: reply === null ? null : codeOf(reply), detail: detail || null }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const codeOf = (reply: string): string => enhanced.exec(reply)?.[0] ?? reply.slice(0, 3)

/**
 * A host may have forwarded one mail to several addresses, each with an entry. One that is not dead
 * may be our recipient's: its reason counts first, as in a notice for programs (dsn.ts).
 */
function mildest(reasons: (string | null)[]): string | null {
  const known = reasons.filter((reason) => reason !== null)
  return known.find((reason) => bounceClassOf(null, oneLine(reason)) !== 'hard') ?? known[0] ?? null
}

/**
 * A reply of a server in the middle of a line, with its enhanced code (RFC 3463 2) or without.
 * Yahoo writes `550: 5.1.1 …`.
 */
const coded = /(?<![\d.:/-])[45][0-5]\d[- ]#?[45]\.\d{1,3}\.\d{1,3}(?![\d.])/
const plainReply = /(?<![\d.:/-])[45][0-5]\d(?:[- ]|: )(?=.{3})/
const enhanced = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/

/** The replies that stand with the addresses come before others: those may be of another step. */
const replyOf = (report: string[], entries: string[][], begins: RegExp): string | null =>
  mildest(entries.map((entry) => findReply(entry, begins))) ?? findReply(report, begins)

/**
 * The reply of the server that refused: `550 5.1.1 …`, `550-5.1.1 …`, `552 …`. Its further lines
 * (RFC 5321 4.2.1) and deeper ones below belong to it.
 */
function findReply(lines: string[], begins: RegExp): string | null {
  const first = lines.findIndex((line) => begins.test(line))
  if (first === -1) return null
  const line = lines[first] ?? ''
  const reply = line.slice(begins.exec(line)?.index ?? 0)
  const further = reply[3] === '-' ? reply.slice(0, 3) : null
  return [reply, ...linesBelow(lines, first + 1, further)].join('\n')
}

/** Deeper lines, and those of the same code. */
function linesBelow(lines: string[], from: number, code: string | null = null): string[] {
  const belongs = (line: string): boolean =>
    /^[ \t]+\S/.test(line) || (code !== null && line.replace(/^<<< /, '').startsWith(code))
  const end = lines.findIndex((line, at) => at >= from && !belongs(line))
  return lines.slice(from, Math.min(end === -1 ? lines.length : end, from + 10))
}

/** The sentence alone, with what follows it in its line: the words around it are about anything. */
function findSentence(report: string[]): string | null {
  for (const { says } of noticeReasons)
    for (const line of report) {
      const match = says.exec(line)
      if (match) return line.slice(match.index)
    }
  return null
}

/**
 * The lines of each address that begins a line, up to the next one: `<a@b>:` of qmail, an address
 * and then deeper lines of Exim, `a@b: …` of OpenSMTPD, `a@b... …` of sendmail, `a@b (…)` of
 * GroupWise. An address has one entry.
 */
function entriesOf(report: string[]): string[][] {
  const entries = new Map<string, string[]>()
  let entry: string[] = []
  for (const line of report) {
    const address = entryBegins.exec(line)?.[1]?.toLowerCase()
    const isNew =
      address !== undefined &&
      !entries.has(address) &&
      !(entries.size > 0 && isWrapped(line, entry))
    if (isNew) entries.set(address, (entry = []))
    entry.push(line)
  }
  return [...entries.values()]
}

/**
 * A reply that was broken before an address, such as the sender's: it goes on deeper than its
 * entry.
 */
const isWrapped = (line: string, entry: string[]): boolean =>
  (entry.at(-1) ?? '').trim() !== '' && depthOf(line) > depthOf(entry[0] ?? '')

const depthOf = (line: string): number => line.length - line.trimStart().length

const entryBegins =
  /^[ \t]*(?:[*-]{1,2} )?<?(?![245]\d\d-)([^\s@<>]{1,64}@[^\s@<>:;,()]{1,255}?)>?(?=[ \t:;]|\.\.\.|$)/

/**
 * The words of an entry without a reply: beside the address and in the deeper lines, or else below
 * it up to an empty line.
 */
function wordsOf([first = '', ...rest]: string[]): string | null {
  const beside = first.replace(entryBegins, '').replace(/^[ \t:;.-]+/, '')
  if (beside !== '') return [beside, ...linesBelow(rest, 0)].join('\n')
  const end = rest.findIndex((line) => line.trim() === '')
  const below = rest.slice(0, Math.min(end === -1 ? rest.length : end, 10)).join('\n')
  return hasWords(below) ? below : null
}

/** Gmail's reason has a heading of its own, and no code where it is Gmail's own. */
function belowMarker(report: string[]): string | null {
  const at = report.findIndex((line) =>
    /^technical details of (?:permanent|temporary) failure:/i.test(line),
  )
  const below = at === -1 ? [] : report.slice(at + 1)
  const end = below.findIndex((line) => line.trim() === '')
  return below.slice(0, end === -1 ? 10 : end).join('\n') || null
}

const hasWords = (text: string): boolean => /\p{L}{2}/u.test(withoutAddresses(text))

/**
 * The line that ends in an address, `Unknown user: a@b` of IMail, or the one above it, as Notes
 * writes it.
 */
function nearAddress(report: string[]): string | null {
  for (const [at, line] of report.entries()) {
    if (!/[^\s@<>]@[^\s@<>]{1,255}>?[ \t]*$/.test(line)) continue
    const words = [line, report[at - 1] ?? ''].find(hasWords)
    if (words !== undefined) return oneLine(words)
  }
  return null
}

/**
 * `Returned mail: User unknown` of sendmail, which also writes our subject there, and `DELIVERY
 * FAILURE: …` of Domino.
 */
const reasonOfSubject = (mail: PlainMail): string | null =>
  /^(?:returned mail: (?=(?:user|host) unknown)|delivery failure: )(.{1,1000})/i.exec(
    mail.header('subject') ?? '',
  )?.[1] ?? null

const isWarning = (mail: PlainMail, report: string[]): boolean =>
  /\bdelayed\b|\(delay\)|\bwarning: (?:could not|message)/i.test(
    (mail.header('subject') ?? '').slice(0, lineMax),
  ) ||
  report.some((line) =>
    /will (?:be retried|retry for|keep trying|continue to)|has been delayed|not yet been delivered|se retrasó la entrega/i.test(
      line,
    ),
  )
