/** The thread that parses one captured mail and answers one question about it. */
import { parentPort, workerData } from 'node:worker_threads'
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import { limits } from '../../contract/limits.ts'
import { oneTimeCode } from '../../mail/content/one-time-code.ts'
import { scanTags } from '../../mail/html/scan-tags.ts'
import { linksOfMail } from '../../mail/html/mail-links.ts'
import { textOfHtml } from '../../mail/html/text-of-html.ts'
import { withOwnImages, type OwnImage } from '../../mail/mime/own-images.ts'
import type { Answers, ParseRequest, ReadMail } from './read-mail.ts'

/** Characters of text whose links are listed. */
const linkedMax = 200_000
const filesMax = 200
const headersMax = 100_000

// `readMail` starts this thread with these values.
const { raw, question } = workerData as { raw: Uint8Array; question: ParseRequest }
// `readMail` waits for this before it counts the time.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage('loaded')
const mail = await PostalMime.parse(raw, {
  maxNestingDepth: 20,
  maxHeadersSize: 1_000_000,
  maxRfc822NestingDepth: 0,
})
// A port of threads: only readMail is at its other end.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(answer())

function answer(): Answers[ParseRequest['want']] {
  switch (question.want) {
    case 'page':
      return readPage(mail)
    case 'html':
      return mail.html === undefined
        ? null
        : withOwnImages(mail.html, mail.attachments.map(imageOf))
    case 'file': {
      const file = mail.attachments[question.index]
      return file ? { name: file.filename, content: bytesOf(file) } : null
    }
    default:
      return question satisfies never
  }
}

function readPage({ subject = '', date, html, text, attachments, ...head }: Email): ReadMail {
  const line = (
    name: ReadMail['addresses'][number]['name'],
    addresses: Address | Address[] | undefined,
  ) => ({
    name,
    value: addresses === undefined ? '' : [addresses].flat().map(showAddress).join(', '),
  })
  return {
    subject,
    date: date ?? null,
    addresses: [
      line('from', head.from),
      line('to', head.to),
      line('cc', head.cc),
      line('replyTo', head.replyTo),
    ],
    html: html ?? null,
    otp: oneTimeCode(text ?? textOfHtml(html ?? '') ?? '') ?? oneTimeCode(subject),
    text: text ?? null,
    files: attachments.slice(0, filesMax).map((file) => ({
      name: file.filename,
      type: file.mimeType,
      size: bytesOf(file).byteLength,
    })),
    contents:
      attachments.reduce((sum, file) => sum + bytesOf(file).byteLength, 0) >
      limits.capturedFilesBytesMax
        ? []
        : attachments
            .slice(0, filesMax)
            .map((file) => Buffer.from(bytesOf(file)).toString('base64')),
    links: linksOfMail({ html: html ?? null, text: text?.slice(0, linkedMax) ?? null }),
    images: countImages(html ?? ''),
    headers: headerSection(),
  }
}

/** A tracking pixel has an empty alternative text, and counts like any other picture. */
function countImages(html: string): ReadMail['images'] {
  const images = { all: 0, withoutAlt: 0 }
  scanTags(html, {
    onOpen(name, attributes) {
      if (name !== 'img') return
      images.all += 1
      if (!attributes.has('alt')) images.withoutAlt += 1
    },
    onClose: () => undefined,
  })
  return images
}

function showAddress({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(showAddress).join(', ')};`
  return name === '' ? address : `${name} <${address}>`
}

function headerSection(): string {
  const source = Buffer.from(
    raw.buffer,
    raw.byteOffset,
    Math.min(raw.byteLength, headersMax),
  ).toString('utf8')
  return source.split('\r\n\r\n', 1)[0] ?? ''
}

function imageOf(file: Attachment): OwnImage {
  return { id: file.contentId ?? null, type: file.mimeType, content: bytesOf(file) }
}

/** The parser returns bytes unless another encoding is requested. */
function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
}
