/**
 * Decodes attachments to bytes: from base64, from a list of numbers, or from a Buffer as Node.js
 * writes it in JSON. Those that are to be fetched stay addresses.
 */
import type { EmailRequest } from '../../contract/emails.ts'
import { limits } from '../../contract/limits.ts'
import type { AdmissionAttachment } from '../../db/sending/admissions.ts'
import { shapeError } from '../input/shape-error.ts'
import { contentIdPattern } from '../../mail/mime/compose.ts'
import { refuseControls, refuseMisleading } from '../input/check-values.ts'
import { readFileUrl } from './read-file-url.ts'

/** A file to fetch. `index`: its position among the attachments. */
export interface FileLink extends Omit<AdmissionAttachment, 'content'> {
  index: number
  url: string
}

type Attachment = NonNullable<EmailRequest['attachments']>[number]

/** The files that came with the request, and, where there are any, those to fetch. */
export function readFiles(
  attachments: Attachment[],
  path: string,
): { files: AdmissionAttachment[]; links?: FileLink[] } {
  const read = attachments.map((attachment, index) =>
    readFile(attachment, { path: `${path}.${index}`, index }),
  )
  const files = read.filter((file) => 'content' in file)
  const links = read.filter((file) => 'url' in file)
  const bytes = bytesOf(files)
  if (bytes > limits.attachmentBytesMax)
    throw shapeError([{ path, rule: 'attachment_bytes', limit: limits.attachmentBytesMax }])
  if (links.length > limits.fetchedFilesMax)
    throw shapeError([{ path, rule: 'fetched_files', limit: limits.fetchedFilesMax }])
  for (const [index, file] of read.entries()) {
    refuseMisleading(file.filename ?? '', `${path}.${index}.filename`)
    refuseControls(file.contentType ?? '', `${path}.${index}.content_type`)
  }
  return { files, ...(links.length > 0 && { links }) }
}

export const bytesOf = (files: AdmissionAttachment[]): number =>
  files.reduce((sum, file) => sum + file.content.length, 0)

function readFile(
  { content, path: url, ...attachment }: Attachment,
  { path, index }: { path: string; index: number },
): AdmissionAttachment | FileLink {
  const file = {
    filename: attachment.filename ?? null,
    contentType: attachment.content_type ?? null,
    contentId: readContentId(attachment.content_id ?? null, `${path}.content_id`),
  }
  // SDKs of typed languages write an unset field as an empty text.
  if (url) {
    if (content !== undefined && content !== '')
      throw shapeError([{ path: `${path}.path`, rule: 'content_and_path' }])
    const { href, name } = readFileUrl(url, `${path}.path`)
    return { ...file, filename: file.filename ?? name, index, url: href }
  }
  if (content === undefined) throw shapeError([{ path: `${path}.content`, rule: 'required' }])
  return { ...file, content: readContent(content, `${path}.content`) }
}

/**
 * RFC 2392: a `cid:` link and the header mean the same, and SDKs write either with the header's
 * brackets.
 */
function readContentId(text: string | null, path: string): string | null {
  if (text === null) return null
  const contentId = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
  if (!contentIdPattern.test(contentId)) throw shapeError([{ path, rule: 'content_id' }])
  return contentId
}

function readContent(content: NonNullable<Attachment['content']>, path: string): Buffer {
  if (typeof content !== 'string')
    return Buffer.from(Array.isArray(content) ? content : content.data)
  const letters = content.replaceAll(/[\r\n\t ]/g, '')
  // `Buffer.from` silently skips characters that are not base64; a file must not change on its way.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(letters) || letters.replaceAll('=', '').length % 4 === 1)
    throw shapeError([{ path, rule: 'base64' }])
  return Buffer.from(letters, 'base64')
}
