/**
 * Reads bounces that are plain text, as qmail, Exim and others write them (no RFC 3464). It knows them by sender and
 * form, and classifies the reply that they quote. Any other mail is no bounce: recipients answer to the same address, and
 * quote the mail that they received.
 */
import type { DsnRecipientStatus } from './dsn.ts'

export interface PlainMail {
  /** Lower-case names. */
  header(name: string): string | null
  text: string
}

const textMax = 20_000
const detailMax = 1_000

/** Null: it is no bounce. */
export function readTextBounce(mail: PlainMail): DsnRecipientStatus | null {
  const text = mail.text.slice(0, textMax).replaceAll(/\r\n?/g, '\n')
  if (!isBounce(mail, text)) return null
  const report = withoutReturnedMail(text)
  return { action: isWarning(mail, report) ? 'delayed' : 'failed', ...readReason(report) }
}

/**
 * Adds the reason from the human-readable part. OpenSMTPD writes `Status: 5.0.0` and no Diagnostic-Code into the
 * machine-readable part, and Exim does so where it found the reason itself. RFC 6522 3 has both parts say the same.
 */
export function addWords(status: DsnRecipientStatus, text: string): DsnRecipientStatus {
  const isBare = status.code === null || /^[45]\.0\.0$/.test(status.code)
  if (!isBare || (status.detail !== null && !/^[45]\.0\.0\b/.test(status.detail))) return status
  const { code, detail } = readReason(withoutReturnedMail(text.slice(0, textMax).replaceAll(/\r\n?/g, '\n')))
  return { ...status, code: code ?? status.code, detail: detail ?? status.detail }
}

function readReason(report: string): Pick<DsnRecipientStatus, 'code' | 'detail'> {
  const reply = findReply(report)
  const code = reply === null ? null : (enhanced.exec(reply)?.[0] ?? reply.slice(0, 3))
  const detail = (reply ?? firstReason(report)).replaceAll(/\s+/g, ' ').trim().slice(0, detailMax)
  return { code, detail: detail || null }
}

/** The mail is from a mail system and says that it could not deliver; the same words of a human sender are no bounce. */
function isBounce(mail: PlainMail, text: string): boolean {
  if (mail.header('x-failed-recipients') !== null) return true
  if (!mailSystems.test(mail.header('from') ?? '')) return false
  return subjects.test(mail.header('subject') ?? '') || introductions.some((pattern) => pattern.test(text))
}

const mailSystems = /mailer-?daemon|postmaster|mdaemon|mail delivery|delivery (?:sub)?system|system administrator/i

const introductions = [
  /^Hi\. This is the \S+ (?:program|mail|system)/im,
  /I(?:'m afraid I| )wasn't able to deliver your message/i,
  /This message was created automatically by mail delivery software/i,
  /This is the (?:mail|Postfix|sendmail) (?:system|program|delivery)/i,
  /The following (?:address(?:\(es\)|es)?|recipients?) (?:failed|had (?:permanent|transient) )/i,
  /Your message (?:could not be|was not|has not been|cannot be) delivered/i,
  /Delivery to the following recipients? (?:failed|has been delayed)/i,
]

const subjects =
  /undeliver|failure notice|delivery (?:status|failure|notification|has failed)|mail delivery failed|returned mail|delayed/i

/** qmail's `--- Below this line is a copy`, Exim's `------ This is a copy of the message`: what follows is our own mail. */
const withoutReturnedMail = (text: string): string =>
  text.split(/^--[- ]*(?:below this line|this is a copy|original message|returned message|the body of)/im, 1)[0] ?? ''

/** The reply of the server that refused: `550 5.1.1 …`, `550-5.1.1 …`, `552 …`. Several lines belong to one. */
function findReply(text: string): string | null {
  return /(?<![\d.:/-])[45][0-5]\d(?:[- ][45]\.\d{1,3}\.\d{1,3})?[- ][^\n]{3,}(?:\n[ \t]+[^\n]+){0,10}/.exec(text)?.[0] ?? null
}

/**
 * The lines below the address in question, or beside it: `<a@b>:` of qmail, an address and then deeper lines of Exim,
 * `a@b: …` of OpenSMTPD.
 */
function firstReason(text: string): string {
  const [, below, beside] =
    /^[ \t]*<?[^\s@<>]+@[^\s@<>:]+>?(?::?[ \t]*\n((?:[^\n]+\n?){1,10})|:[ \t]+(\S[^\n]*))/m.exec(text) ?? []
  return below ?? beside ?? ''
}

const isWarning = (mail: PlainMail, text: string): boolean =>
  /\bwarning\b|delayed/i.test(mail.header('subject') ?? '') ||
  /will (?:be retried|keep trying|continue to (?:be )?tr)|has been delayed/i.test(text)

/** RFC 3463 2. */
const enhanced = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/
