/**
 * Finds the text, the HTML and the files in the MIME tree of a mail (RFC 2045, RFC 2046): the work
 * grows with the mail's length alone, and parts and depth have limits.
 */
import { limits } from '../../contract/limits.ts'
import { contentIdPattern } from '../mime/compose.ts'
import {
  boundaryOf,
  decodeTransfer,
  headerValue,
  splitAt,
  splitMail,
} from '../reports/mime-parts.ts'
import type { HeaderFields } from '../signing/dkim-canonical.ts'
import { decodeCharset } from './decode-charset.ts'
import { readParameters, type ValueWithParameters } from './read-parameters.ts'
import { Unacceptable } from './unacceptable.ts'
import { unwrapFlowed } from './unwrap-flowed.ts'

export interface SubmittedFile {
  filename: string | null
  contentType: string
  /** Of a picture that the HTML shows; null for any other file. */
  contentId: string | null
  content: Uint8Array<ArrayBuffer>
  /** A form of the text for other readers, such as a calendar, and no file. */
  isAlternative: boolean
}

export interface SubmittedContent {
  /** Null if there is HTML alone. */
  text: string | null
  html: string | null
  files: SubmittedFile[]
}

const depthMax = 20
const partsMax = 500

export function readSubmittedContent(mail: {
  fields: HeaderFields
  body: Buffer
}): SubmittedContent {
  const result: CollectedContent = { text: null, html: null, files: [], group: null, parts: 0 }
  collect(result, { ...mail, depth: 1, group: null, parent: '' })
  const html = result.html
  const files = result.files.map(({ isRelated, ...file }) => ({
    ...file,
    contentId:
      html !== null && (isRelated || html.includes(`cid:${file.contentId}`))
        ? file.contentId
        : null,
  }))
  checkSizes({ ...result, files })
  return { text: result.text ?? (html === null ? '' : null), html, files }
}

interface CollectedContent extends Omit<SubmittedContent, 'files'> {
  files: (SubmittedFile & { isRelated: boolean })[]
  /** The part that is the text of the mail: a text, or the alternative that holds it. */
  group: object | null
  parts: number
}

interface Part {
  fields: HeaderFields
  body: Buffer
  depth: number
  /** The alternative around it that is the text of the mail. */
  group: object | null
  /** The type of the part around it. */
  parent: string
}

function collect(result: CollectedContent, part: Part): void {
  if (++result.parts > partsMax)
    throw new Unacceptable('malformed', `it has more than ${partsMax} parts`)
  const written = headerValue(part.fields, 'content-type')
  const type = readParameters(written)
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type.value)) type.value = 'text/plain'
  // RFC 1847, RFC 8551 3: every byte of what is signed or encrypted has to stay, and ours are
  // composed again.
  if (isSealed(type.value, part.depth))
    throw new Unacceptable(
      'not_supported',
      `${type.value} cannot be passed on unchanged; send it unsigned, or directly to the relay`,
    )
  if (!type.value.startsWith('multipart/')) return collectLeaf(result, part, type)
  const boundary = boundaryOf(written)
  if (boundary === null) throw new Unacceptable('malformed', `a ${type.value} part has no boundary`)
  if (!part.body.includes(`--${boundary}`, 0, 'latin1'))
    throw new Unacceptable('malformed', `the boundary of a ${type.value} part does not occur`)
  if (part.depth >= depthMax)
    throw new Unacceptable('malformed', `its parts are nested deeper than ${depthMax}`)
  let { group } = part
  if (type.value === 'multipart/alternative' && group === null && result.group === null)
    group = result.group = {}
  for (const inner of split(part.body, boundary))
    collect(result, { ...inner, depth: part.depth + 1, group, parent: type.value })
}

/** S/MIME is one part, and the whole mail; within another mail it is a file. */
const isSealed = (type: string, depth: number): boolean =>
  /^multipart\/(?:signed|encrypted)$/.test(type) ||
  (depth === 1 && /^application\/(?:x-)?pkcs7-mime$/.test(type))

function split(body: Buffer, boundary: string): { fields: HeaderFields; body: Buffer }[] {
  try {
    return splitAt(body, boundary, partsMax).map(splitMail)
  } catch (error) {
    throw new Unacceptable(
      'malformed',
      `it has ${error instanceof Error ? error.message : 'too many parts'}`,
    )
  }
}

/** The first text is the mail's, with the forms of the alternative that it stands in. */
function collectLeaf(result: CollectedContent, part: Part, type: ValueWithParameters): void {
  const disposition = readParameters(headerValue(part.fields, 'content-disposition'))
  const filename = nameOf(disposition, type)
  const encoding = headerValue(part.fields, 'content-transfer-encoding').toLowerCase()
  const content = decodeTransfer(part.body, encoding)
  const isFile = disposition.value === 'attachment' || filename !== null
  const form = isFile ? null : formOf(type.value)
  const isOfText = part.group === null ? result.group === null : part.group === result.group
  if (form !== null && isOfText && result[form] === null) {
    result.group ??= {}
    const text = decodeCharset(content, type.parameters.get('charset') ?? null)
    // Programs that encode CRLF as text write a CR of their own before it: Ruby's mail does.
    const whole = text.replaceAll('\r\r\n', '\r\n')
    result[form] = isFlowed(type) ? unwrapFlowed(whole, isYes(type, 'delsp')) : whole
    return
  }
  result.files.push({
    filename: filename ?? (type.value === 'message/rfc822' ? 'message.eml' : null),
    contentType: contentTypeOf(type),
    contentId: contentIdOf(part.fields),
    // A piece of memory that others share would take all of it along to another thread.
    content: new Uint8Array(content),
    isAlternative:
      !isFile &&
      ((part.group !== null && part.parent === 'multipart/alternative') ||
        // An invitation without a text beside it.
        (part.depth === 1 && type.value === 'text/calendar')),
    isRelated: part.parent === 'multipart/related',
  })
}

const isFlowed = ({ value, parameters }: ValueWithParameters): boolean =>
  value === 'text/plain' && parameters.get('format')?.toLowerCase() === 'flowed'

const isYes = ({ parameters }: ValueWithParameters, name: string): boolean =>
  parameters.get(name)?.toLowerCase() === 'yes'

const formOf = (type: string): 'text' | 'html' | null =>
  type === 'text/plain' ? 'text' : type === 'text/html' ? 'html' : null

/** A name that a reader would be misled by loses what misleads. */
function nameOf(disposition: ValueWithParameters, type: ValueWithParameters): string | null {
  const name = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? ''
  return name.replaceAll(unsafe, '_').slice(0, 255).toWellFormed() || null
}

const unsafe = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** With its parameters, such as the `method` of a calendar (RFC 6047 2.4), but for its name. */
const contentTypeOf = ({ value, parameters }: ValueWithParameters): string =>
  [value, ...[...parameters].flatMap(([name, text]) => asParameter(name, text))].join('; ')

const asParameter = (name: string, text: string): string[] =>
  name === 'name' || !/^[\w.-]{1,32}$/.test(name) || !/^[ !#-[\]-~]{1,64}$/.test(text)
    ? []
    : [`${name}="${text}"`]

function contentIdOf(fields: HeaderFields): string | null {
  const [, id = ''] = /^<([^<>]*)>$/.exec(headerValue(fields, 'content-id')) ?? []
  return contentIdPattern.test(id) ? id : null
}

function checkSizes({ text, html, files }: SubmittedContent): void {
  for (const [name, form] of [
    ['text', text],
    ['html', html],
  ] as const)
    if (form !== null && isLongerThan(form, limits.bodyMax))
      throw new Unacceptable('too_large', `its ${name} has more than ${limits.bodyMax} characters`)
  if (files.length > limits.attachmentsMax)
    throw new Unacceptable('too_large', `it has more than ${limits.attachmentsMax} files`)
  if (files.reduce((sum, { content }) => sum + content.length, 0) > limits.attachmentBytesMax)
    throw new Unacceptable(
      'too_large',
      `its files have more than ${limits.attachmentBytesMax} bytes`,
    )
}

/** In code points, as calls are counted: one has one or two units of UTF-16. */
const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max)
