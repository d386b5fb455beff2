/** Composes a message: the same input gives the same RFC 5322 bytes, today and after any crash. */
import { chooseContentType } from './content-type.ts'
import { addressHeader, callersHeader, textHeader, type HeaderMailbox } from './header-lines.ts'
import { parameterHeader, toAsciiName } from './mime-parameters.ts'
import { encodeText, toBase64 } from './transfer-encoding.ts'

/** All that the bytes depend on. Bcc recipients are not in it: only the envelope has them. */
export interface MessageToCompose {
  /** `id@domain`, without angle brackets. Fixed at admission. */
  messageId: string
  /** Fixed at admission. */
  date: Date
  /** Fixed at admission: 1 to 60 of `A-Z a-z 0-9 -`. */
  boundary: string
  from: HeaderMailbox
  /** At least one. */
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
  let head = addressHeader('From', [message.from]) + addressHeader('To', message.to)
  if (message.cc.length > 0) head += addressHeader('Cc', message.cc)
  if (message.replyTo.length > 0) head += addressHeader('Reply-To', message.replyTo)
  head += textHeader('Subject', message.subject)
  head += `Date: ${message.date.toUTCString().replace('GMT', '+0000')}\r\nMessage-ID: <${message.messageId}>\r\n`
  for (const [name, value] of message.headers) head += callersHeader(name, value)
  return `${head}MIME-Version: 1.0\r\n`
}

/** A part of the mail: its own header lines, and the content after their blank line. */
interface Part {
  head: string
  chunks: Array<string | Buffer>
}

/**
 * mixed ( related ( alternative ( text, html ), inline… ), attachment… ), each layer only where
 * there is something for it.
 */
function composeBody({ boundary, html, text, attachments }: MessageToCompose): Part {
  const inline = attachments.filter((attachment) => html !== null && isInline(attachment))
  const others = attachments.filter((attachment) => !inline.includes(attachment))
  const content = composeContent({ boundary, html, text, inline })
  if (others.length === 0) return content
  return multipart('mixed', `=_m-${boundary}`, [
    content,
    ...others.map((file) => composeFile(file, 'attachment')),
  ])
}

interface Content extends Pick<MessageToCompose, 'boundary' | 'html' | 'text'> {
  inline: readonly Attachment[]
}

function composeContent({ boundary, html, text, inline }: Content): Part {
  if (html === null) return composeText('plain', text ?? '')
  const page = composeText('html', html)
  const rich =
    inline.length === 0
      ? page
      : multipart('related', `=_r-${boundary}`, [
          page,
          ...inline.map((file) => composeFile(file, 'inline')),
        ])
  return text === null
    ? rich
    : multipart('alternative', `=_a-${boundary}`, [composeText('plain', text), rich])
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

function composeFile(file: Attachment, disposition: 'inline' | 'attachment'): Part {
  const { type, parameters } = chooseContentType(file.contentType, file.filename)
  const named = file.filename !== null && file.filename !== ''
  const nameForOldReaders = named ? [['name', toAsciiName(file.filename ?? '')] as const] : []
  let head = parameterHeader('Content-Type', type, [...parameters, ...nameForOldReaders])
  head += 'Content-Transfer-Encoding: base64\r\n'
  head += parameterHeader(
    'Content-Disposition',
    disposition,
    named ? [['filename', file.filename ?? '']] : [],
  )
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
