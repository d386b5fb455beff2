/** Composes a message: the same input gives the same RFC 5322 bytes, today and after any crash. */
import { chooseContentType } from './content-type.ts'
import {
  addressHeader,
  callersHeader,
  foldWords,
  textHeader,
  writtenCallersHeader,
  type HeaderMailbox,
} from './header-lines.ts'
import { parameterHeader, toAsciiName } from './mime-parameters.ts'
import { encodeText, toBase64 } from './transfer-encoding.ts'

/** All that the bytes depend on. Bcc recipients are not in it: only the envelope has them. */
export interface MessageToCompose {
  /** `id@domain`, without angle brackets. Fixed at admission. */
  messageId: string
  /** Fixed at admission; a text: as it was written. */
  date: Date | string
  /** Fixed at admission: 1 to 60 of `A-Z a-z 0-9 -`. */
  boundary: string
  from: HeaderMailbox
  /** At least one, but where the mail is `written`. */
  to: readonly HeaderMailbox[]
  cc: readonly HeaderMailbox[]
  replyTo: readonly HeaderMailbox[]
  subject: string
  /** At least one of `html` and `text` is there. */
  html: string | null
  text: string | null
  /** The headers that `filterHeaders` left. */
  headers: ReadonlyArray<readonly [string, string]>
  attachments: readonly Attachment[]
  /** Present: the mail was composed by somebody else, and these parts of it stay. */
  written?: {
    /** Printable ASCII to stand behind `To:` and `Cc:`. Null if the mailboxes are written. */
    to: string | null
    cc: string | null
    /** The positions of attachments that are alternatives of the text (RFC 2046 5.1.4). */
    alternatives: readonly number[]
  }
}

export interface Attachment {
  /** Null or empty: without a name. */
  filename: string | null
  /** Null or not a content type: guessed from the file name. */
  contentType: string | null
  /**
   * The name that `cid:` links in the html use, without angle brackets; null for an ordinary
   * attachment.
   */
  contentId: string | null
  content: Buffer
}

export interface ComposedMessage {
  /**
   * CRLF line ends only, the last line included; no line beyond 998 octets; not dot-stuffed. ASCII
   * unless `utf8`.
   */
  bytes: Buffer
  /**
   * A header holds an address outside ASCII, so the message needs SMTPUTF8 (RFC 6531, RFC 6532).
   */
  utf8: boolean
}

/** The message as it goes behind DATA. */
export function composeMessage(message: MessageToCompose): ComposedMessage {
  const utf8 = [message.from, ...message.to, ...message.cc, ...message.replyTo].some(
    ({ address }) => !isAscii(address),
  )
  const body = composeBody(message)
  return { bytes: join([composeHead(message), body.head, '\r\n', ...body.chunks], utf8), utf8 }
}

function composeHead(message: MessageToCompose): string {
  const { written, date } = message
  let head = addressHeader('From', [message.from])
  head += writtenHeader('To', written?.to ?? null, message.to)
  head += writtenHeader('Cc', written?.cc ?? null, message.cc)
  // RFC 5322 3.6 wants neither, yet filters distrust a mail that names nobody.
  if (!written?.to && !written?.cc && message.to.length + message.cc.length === 0)
    head += 'To: undisclosed-recipients:;\r\n'
  if (message.replyTo.length > 0) head += addressHeader('Reply-To', message.replyTo)
  head += textHeader('Subject', message.subject)
  head += `Date: ${typeof date === 'string' ? date : date.toUTCString().replace('GMT', '+0000')}\r\n`
  head += `Message-ID: <${message.messageId}>\r\n`
  const header = written ? writtenCallersHeader : callersHeader
  for (const [name, value] of message.headers) head += header(name, value)
  return `${head}MIME-Version: 1.0\r\n`
}

const writtenHeader = (name: string, value: string | null, mailboxes: readonly HeaderMailbox[]) =>
  value !== null
    ? foldWords(name, value.split(' '))
    : mailboxes.length > 0
      ? addressHeader(name, mailboxes)
      : ''

/** A part of the mail: its own header lines, and the content after their blank line. */
interface Part {
  head: string
  chunks: Array<string | Buffer>
}

/**
 * mixed ( related ( alternative ( text, html ), inline… ), attachment… ), each layer only where
 * there is something for it.
 */
function composeBody({ boundary, html, text, attachments, written }: MessageToCompose): Part {
  const alternatives = (written?.alternatives ?? []).flatMap((index) => attachments[index] ?? [])
  const inline = attachments.filter((attachment) => html !== null && isInline(attachment))
  const others = attachments.filter(
    (attachment) => !inline.includes(attachment) && !alternatives.includes(attachment),
  )
  const content = composeContent({ boundary, html, text, inline, alternatives })
  if (others.length === 0) return content
  return multipart('mixed', `=_m-${boundary}`, [
    content,
    ...others.map((file) => composeFile(file, 'attachment')),
  ])
}

interface Content extends Pick<MessageToCompose, 'boundary' | 'html' | 'text'> {
  inline: readonly Attachment[]
  alternatives: readonly Attachment[]
}

function composeContent(content: Content): Part {
  const { boundary, html, text, alternatives } = content
  const plain = text === null && html !== null ? [] : [composeText('plain', text ?? '')]
  // Readers show the last one that they know: AMP stands before the HTML, for those that do not
  // know it and stumble over the last.
  const [amp, others] = [true, false].map((isAmp) =>
    alternatives
      .filter(({ contentType }) => /^text\/x-amp-html/i.test(contentType ?? '') === isAmp)
      .map((file) => composeFile(file, null)),
  )
  const forms = [...plain, ...(amp ?? []), ...composeRich(content), ...(others ?? [])]
  const [only] = forms
  return only && forms.length === 1 ? only : multipart('alternative', `=_a-${boundary}`, forms)
}

function composeRich({ boundary, html, inline }: Content): Part[] {
  if (html === null) return []
  const page = composeText('html', html)
  if (inline.length === 0) return [page]
  const files = inline.map((file) => composeFile(file, 'inline'))
  return [multipart('related', `=_r-${boundary}`, [page, ...files])]
}

function composeText(subtype: 'plain' | 'html', text: string): Part {
  const { encoding, bytes } = encodeText(text)
  return {
    head: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    chunks: [bytes],
  }
}

/**
 * `msg-id` without its brackets as far as readers agree on it: printable ASCII but brackets, quotes
 * and spaces.
 */
export const contentIdPattern = /^[!#-;=?-~]{1,200}$/

const isInline = ({ contentId }: Attachment): boolean =>
  contentId !== null && contentIdPattern.test(contentId)

/** A null `disposition` means a form of the text, which is no file. */
function composeFile(file: Attachment, disposition: 'inline' | 'attachment' | null): Part {
  const { type, parameters } = chooseContentType(file.contentType, file.filename)
  const named = file.filename !== null && file.filename !== ''
  const nameForOldReaders = named ? [['name', toAsciiName(file.filename ?? '')] as const] : []
  let head = parameterHeader('Content-Type', type, [...parameters, ...nameForOldReaders])
  head += 'Content-Transfer-Encoding: base64\r\n'
  const names = named ? [['filename', file.filename ?? ''] as const] : []
  if (disposition !== null) head += parameterHeader('Content-Disposition', disposition, names)
  if (isInline(file)) head += `Content-ID: <${file.contentId}>\r\n`
  return { head, chunks: [toBase64(file.content)] }
}

/**
 * RFC 2046 5.1. The boundary holds `=_`, which no encoded body can (RFC 2045 6.7), so it needs no
 * search.
 */
function multipart(
  subtype: 'mixed' | 'related' | 'alternative',
  boundary: string,
  parts: readonly Part[],
): Part {
  const type = subtype === 'related' ? 'related; type="text/html"' : subtype
  const chunks: Array<string | Buffer> = []
  for (const part of parts) chunks.push(`--${boundary}\r\n${part.head}\r\n`, ...part.chunks, '\r\n')
  chunks.push(`--${boundary}--\r\n`)
  return { head: `Content-Type: multipart/${type};\r\n boundary="${boundary}"\r\n`, chunks }
}

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/**
 * One buffer of all chunks, ended by CRLF. Only header lines can hold more than ASCII, and only
 * when `utf8`.
 */
function join(chunks: ReadonlyArray<string | Buffer>, utf8: boolean): Buffer {
  const encoding = utf8 ? 'utf8' : 'latin1'
  let length = 2
  for (const chunk of chunks)
    length += typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const chunk of chunks)
    at += typeof chunk === 'string' ? bytes.write(chunk, at, encoding) : chunk.copy(bytes, at)
  if (bytes[at - 1] !== 0x0a) at += bytes.write('\r\n', at, 'latin1')
  return bytes.subarray(0, at)
}
