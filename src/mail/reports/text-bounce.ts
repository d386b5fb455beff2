/**
 * Reads bounces that are written for readers, without a part for programs (RFC 3464), as qmail, Exim, Zoho and others write them:
 *
 * 1. The mail is from a mail system, and says that it could not deliver: by its subject, by a sentence, or by the reply that it quotes.
 * 2. What stands before the returned mail is the report.
 * 3. Its reason is, in this order: the fields of a notice for programs, the reply of a server, a sentence of the table, the lines
 *    below the address, the subject.
 *
 * Any other mail is no bounce: recipients answer to the same address, and quote the mail that they received.
 */
import { readDeliveryStatus, type DsnRecipientStatus } from './dsn.ts'
import { introductions, noticeReasons, noticeSubjects, returnedMailBegins, signedIntroductions } from './notice-sentences.ts'

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

/** Null: it is no bounce. */
export function readTextBounce(mail: PlainMail): DsnRecipientStatus | null {
  const report = reportOf(mail.text)
  if (!isBounce(mail, report)) return null
  const fields = readDeliveryStatus(report.join('\n'))
  if (fields) return addReason(fields, report)
  const reason = readReason(report)
  return {
    action: isWarning(mail, report) ? 'delayed' : 'failed',
    code: reason.code,
    detail: reason.detail ?? reasonOfSubject(mail),
  }
}

/**
 * Adds the reason from the human-readable part. OpenSMTPD writes `Status: 5.0.0` and no Diagnostic-Code into the
 * machine-readable part, and Exim does so where it found the reason itself. RFC 6522 3 has both parts say the same.
 */
export const addWords = (status: DsnRecipientStatus, text: string): DsnRecipientStatus => addReason(status, reportOf(text))

function addReason(status: DsnRecipientStatus, report: string[]): DsnRecipientStatus {
  const { code, detail } = status
  if (detail !== null && !/^[245]\.\d{1,3}\.\d{1,3}\b/.test(detail)) return afterData(status, report)
  const reason = readReason(report)
  const isBare = code === null || /^[45]\.0\.0$/.test(code)
  return { ...status, code: isBare ? (reason.code ?? code) : code, detail: reason.detail ?? detail }
}

/** The step that a server refused at, where only the text part says so, as Postfix and Courier do: some mean another thing there. */
function afterData(status: DsnRecipientStatus, report: string[]): DsnRecipientStatus {
  const isAfterData = report.some((line) => line.startsWith('>>> DATA') || line.includes('in reply to end of DATA'))
  return isAfterData ? { ...status, detail: `${status.detail ?? ''} (in reply to end of DATA command)` } : status
}

/** Whether the mail is from a mail system: only then a sentence of the table counts. */
export function isFromMailSystem(mail: Pick<PlainMail, 'header'>): boolean {
  const from = (mail.header('from') ?? '').slice(0, lineMax).trim()
  // A missing or empty From (RFC 5321 4.5.5 has it of the envelope) is a mail system's too.
  return from === '' || from === '<>' || mail.header('x-failed-recipients') !== null || mailSystems.test(from)
}

const mailSystems =
  /mailer[- ]?daemon|post_?master|mdaemon|mail ?delivery|delivery (?:sub)?system|mail[ _-]?(?:system|service|administrator)|system administrator/i

/** The same words of a human sender are no bounce. */
function isBounce(mail: PlainMail, report: string[]): boolean {
  if (mail.header('x-failed-recipients') !== null) return true
  if (report.some((line) => hasAny(signedIntroductions, line))) return true
  if (!isFromMailSystem(mail)) return false
  const subject = (mail.header('subject') ?? '').slice(0, lineMax)
  return (
    hasAny(noticeSubjects, subject) || report.some((line) => hasAny(introductions, line)) || findReply(report, coded) !== null
  )
}

const hasAny = (sentences: readonly { says: RegExp }[], text: string): boolean => sentences.some(({ says }) => says.test(text))

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
  const sentence = findReply(report, coded) === null ? findSentence(report) : null
  const reply = sentence === null ? (findReply(report, coded) ?? findReply(report, plainReply)) : null
  const code = reply === null ? null : (enhanced.exec(reply)?.[0] ?? reply.slice(0, 3))
  const detail = (reply ?? sentence ?? belowAddress(report)).replaceAll(/\s+/g, ' ').trim().slice(0, detailMax)
  return { code, detail: detail || null }
}

/** A reply of a server in the middle of a line, with its enhanced code (RFC 3463 2) or without. */
const coded = /(?<![\d.:/-])[45][0-5]\d[- ]#?[45]\.\d{1,3}\.\d{1,3}(?![\d.])/
const plainReply = /(?<![\d.:/-])[45][0-5]\d[- ](?=.{3})/
const enhanced = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/

/** The reply of the server that refused: `550 5.1.1 …`, `550-5.1.1 …`, `552 …`. Deeper lines below belong to it. */
function findReply(report: string[], begins: RegExp): string | null {
  const first = report.findIndex((line) => begins.test(line))
  if (first === -1) return null
  const line = report[first] ?? ''
  const reply = line.slice(begins.exec(line)?.index ?? 0)
  return [reply, ...deeperLines(report, first + 1)].join('\n')
}

function deeperLines(report: string[], from: number): string[] {
  const end = report.findIndex((line, at) => at >= from && !/^[ \t]+\S/.test(line))
  return report.slice(from, Math.min(end === -1 ? report.length : end, from + 10))
}

/** The sentence alone, with what follows it in its line: the words around it are about anything. */
function findSentence(report: string[]): string | null {
  for (const { says } of noticeReasons)
    for (const line of report) {
      const found = says.exec(line)
      if (found) return line.slice(found.index)
    }
  return null
}

/**
 * The lines below the address in question, or beside it: `<a@b>:` of qmail, an address and then deeper lines of Exim,
 * `a@b: …` of OpenSMTPD, `a@b... …` of sendmail.
 */
function belowAddress(report: string[]): string {
  for (const [at, line] of report.entries()) {
    const beside = /^[ \t]*<?[^\s@<>]{1,64}@[^\s@<>:]{1,255}>?(?:(?::| ?\.\.\.)[ \t](\s*\S.*)|:?[ \t]*$)/.exec(line)
    if (!beside) continue
    if (beside[1] !== undefined) return beside[1]
    const end = report.findIndex((other, index) => index > at && other.trim() === '')
    const below = report.slice(at + 1, Math.min(end === -1 ? report.length : end, at + 11))
    if (below.some((other) => !other.includes('@'))) return below.join('\n')
  }
  return ''
}

/** Sendmail: `Returned mail: User unknown`. Its subjects without a reason say "see transcript". */
const reasonOfSubject = (mail: PlainMail): string | null =>
  /^returned mail: ((?:user|host) unknown)/i.exec(mail.header('subject') ?? '')?.[1] ?? null

const isWarning = (mail: PlainMail, report: string[]): boolean =>
  /\bdelayed\b|\bwarning: (?:could not|message)/i.test((mail.header('subject') ?? '').slice(0, lineMax)) ||
  report.some((line) => /will (?:be retried|keep trying|continue to)|has been delayed|not yet been delivered/i.test(line))
