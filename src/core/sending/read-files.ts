/**
 * Decodes attachments to bytes: from base64, from a list of numbers, or from a Buffer as Node.js
 * writes it in JSON.
 */
import type { EmailRequest } from '../../contract/emails.ts'
import { limits } from '../../contract/limits.ts'
import type { AdmissionAttachment } from '../../db/sending/admissions.ts'
import { shapeError } from '../input/shape-error.ts'
import { contentIdPattern } from '../../mail/mime/compose.ts'
import { refuseControls, refuseMisleading } from '../input/check-values.ts'

export function readFiles(
  attachments: NonNullable<EmailRequest['attachments']>,
  path: string,
): AdmissionAttachment[] {
  const files = attachments.map((attachment, index) => ({
    filename: attachment.filename ?? null,
    contentType: attachment.content_type ?? null,
    contentId: readContentId(attachment.content_id ?? null, `${path}.${index}.content_id`),
    content: readContent(attachment.content, `${path}.${index}.content`),
  }))
  const bytes = files.reduce((sum, file) => sum + file.content.length, 0)
  if (bytes > limits.attachmentBytesMax)
    throw shapeError([{ path, rule: 'attachment_bytes', limit: limits.attachmentBytesMax }])
  for (const [index, file] of files.entries()) {
    refuseMisleading(file.filename ?? '', `${path}.${index}.filename`)
    refuseControls(file.contentType ?? '', `${path}.${index}.content_type`)
  }
  return files
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

type Content = NonNullable<EmailRequest['attachments']>[number]['content']

function readContent(content: Content, path: string): Buffer {
  if (typeof content !== 'string')
    return Buffer.from(Array.isArray(content) ? content : content.data)
  const letters = content.replaceAll(/[\r\n\t ]/g, '')
  // `Buffer.from` silently skips characters that are not base64; a file must not change on its way.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(letters) || letters.replaceAll('=', '').length % 4 === 1)
    throw shapeError([{ path, rule: 'base64' }])
  return Buffer.from(letters, 'base64')
}
