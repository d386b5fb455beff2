/**
 * Parses a well-formed EmailRequest: merges aliases, parses addresses and rewrites tags. A
 * validation error names the field to mend.
 */
import { createHash } from 'node:crypto'
import { parseMailbox, type Mailbox } from '../../ground/address.ts'
import type { EmailRequest } from '../../contract/emails.ts'
import { limits } from '../../contract/limits.ts'
import { filterHeaders } from '../../mail/mime/filter-headers.ts'
import { shapeError } from '../input/shape-error.ts'
import { refuseControls } from '../input/check-values.ts'
import type { AdmissionAttachment } from '../../db/sending/admissions.ts'
import { readFiles, type FileLink } from './read-files.ts'
import { readScheduleText } from '../input/read-time.ts'
import { readMessageTags } from './read-message-tags.ts'
import type { WrittenHead } from '../presentation/message-head.ts'

/** A parsed message, independent of the spelling of the request. */
export interface EmailToSend {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  replyTo: Mailbox[]
  subject: string
  html: string | null
  text: string | null
  /** The caller gave an empty `text`: no text part is made from the HTML. */
  leavesTextOff?: true
  headers: [string, string][]
  tags: Record<string, string> | null
  files: AdmissionAttachment[]
  /** The files to fetch, which `files` does not have yet; absent where there are none. */
  links?: FileLink[]
  /** RFC 3339 in UTC; null for now, or for what `scheduledIn` says. */
  scheduledAt: string | null
  /** The time in words, until the database's time makes it an instant. */
  scheduledIn?: string
  /** Absent when the caller asked for neither. */
  track?: { opens: boolean; clicks: boolean }
  /** Absent but for a mail that came whole, by SMTP: then `to`, `cc` and `bcc` are its envelope. */
  written?: WrittenEmail
}

/** `shownTo` and `shownCc`: the mailboxes that the header names. */
export interface WrittenEmail extends WrittenHead {
  shownTo: Mailbox[]
  shownCc: Mailbox[]
  /** Without its brackets. Null means ours. */
  messageId: string | null
}

/** `prefix` is the position in the request: empty, or such as `3.` in a batch. */
export function readEmail(request: EmailRequest, prefix = ''): EmailToSend {
  const html = request.html === '' ? null : (request.html ?? null)
  const text = request.text === '' ? null : (request.text ?? null)
  if (html === null && text === null)
    throw shapeError([{ path: `${prefix}html`, rule: 'html_or_text' }], 'html_or_text')
  refuseControls(request.subject, `${prefix}subject`)
  const email = {
    from: readMailbox(request.from, `${prefix}from`),
    to: readMailboxes(request.to, `${prefix}to`),
    cc: readMailboxes(request.cc, `${prefix}cc`),
    bcc: readMailboxes(request.bcc, `${prefix}bcc`),
    replyTo: readReplyTo(request, prefix),
    subject: request.subject,
    html,
    text,
    ...(html !== null && request.text === '' && { leavesTextOff: true as const }),
    headers: request.headers ? readHeaders(request.headers, `${prefix}headers`) : [],
    tags: request.tags ? readMessageTags(request.tags, `${prefix}tags`) : null,
    ...(request.attachments
      ? readFiles(request.attachments, `${prefix}attachments`)
      : { files: [] }),
    ...readSchedule(request.scheduled_at, `${prefix}scheduled_at`),
    ...((request.track_opens || request.track_clicks) && {
      track: { opens: request.track_opens === true, clicks: request.track_clicks === true },
    }),
  }
  const recipients = email.to.length + email.cc.length + email.bcc.length
  if (recipients > limits.recipientsPerMessage) {
    throw shapeError([
      {
        path: `${prefix}to`,
        rule: 'recipients',
        limit: limits.recipientsPerMessage,
        found: recipients,
      },
    ])
  }
  return email
}

/**
 * Limits the texts: one statement writes them, in the database's memory. Attachments have a higher
 * limit of their own (security: JSON). Validates before anything is made of the texts. Addresses
 * and subjects have their own limits.
 */
export function validateTextSize(requests: EmailRequest[]): void {
  const byteCount = requests.reduce((sum, request) => sum + textBytes(request), 0)
  if (byteCount > limits.emailTextBytes)
    throw shapeError([{ path: '', rule: 'text_bytes', limit: limits.emailTextBytes }])
}

function textBytes({ html, text, headers, tags }: EmailRequest): number {
  const bytes = Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? '')
  if (!headers && !tags) return bytes
  const pairs = Array.isArray(tags)
    ? tags.map((tag) => [tag.name, tag.value])
    : Object.entries(tags ?? {})
  const texts = [...Object.entries(headers ?? {}), ...pairs].flat()
  return texts.reduce((sum, entry) => sum + Buffer.byteLength(entry), bytes)
}

/**
 * The same request gives the same fingerprint, whatever the order of its keys and its aliases. A
 * batch of one differs from a single message. A file to fetch counts by its address.
 */
export function fingerprintOf(emails: EmailToSend[], form: 'single' | 'batch'): Buffer {
  const hash = createHash('sha256').update(form)
  for (const email of emails) {
    const tags = email.tags && Object.entries(email.tags).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const headers = email.headers.toSorted(([a], [b]) => (a < b ? -1 : 1))
    const files = email.files.map((file) => ({
      ...file,
      content: createHash('sha256').update(file.content).digest('hex'),
    }))
    hash.update(JSON.stringify({ ...email, tags, headers, files }))
  }
  return hash.digest()
}

/** Refuses an empty text as a time: ignoring it would send the message immediately. */
function readSchedule(
  time: string | null | undefined,
  path: string,
): Pick<EmailToSend, 'scheduledAt' | 'scheduledIn'> {
  if (time === null || time === undefined) return { scheduledAt: null }
  const schedule = readScheduleText(time, path)
  return 'at' in schedule
    ? { scheduledAt: schedule.at }
    : { scheduledAt: null, scheduledIn: schedule.words }
}

function readMailbox(text: string, path: string): Mailbox {
  const read = parseMailbox(text)
  if ('rule' in read) throw shapeError([{ ...read, path, rule: `address.${read.rule}` }])
  return read
}

/** One address, several, or none. */
export function readMailboxes(
  value: string | string[] | null | undefined,
  path: string,
): Mailbox[] {
  if (value === null || value === undefined) return []
  return typeof value === 'string'
    ? [readMailbox(value, path)]
    : value.map((entry, index) => readMailbox(entry, `${path}.${index}`))
}

/** An alias and its native name may both be given when they say the same (semantics 4). */
function readReplyTo(request: EmailRequest, prefix: string): Mailbox[] {
  const native = readMailboxes(request.replyTo, `${prefix}replyTo`)
  const alias = readMailboxes(request.reply_to, `${prefix}reply_to`)
  if (native.length > 0 && alias.length > 0 && JSON.stringify(native) !== JSON.stringify(alias)) {
    throw shapeError([{ path: `${prefix}reply_to`, rule: 'alias_differs' }])
  }
  return native.length > 0 ? native : alias
}

function readHeaders(headers: Record<string, string>, path: string): [string, string][] {
  const renewed = filterHeaders(headers)
  if (Array.isArray(renewed)) return renewed
  throw shapeError([
    { path: renewed.header === null ? path : `${path}.${renewed.header}`, rule: renewed.rule },
  ])
}
