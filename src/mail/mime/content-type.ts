/** Content types of attachments: reads the caller's value, or guesses from the file name. */

export interface ContentType {
  /** `type/subtype` in lower case. */
  type: string
  /**
   * In the caller's order, names in lower case. Never `name`, `boundary` or RFC 2231 forms, which
   * are ours to write.
   */
  parameters: Array<[string, string]>
}

export const octetStream: ContentType = { type: 'application/octet-stream', parameters: [] }

/**
 * `type/subtype; name=value` by the grammar of RFC 2045 5.1, or by the file name's ending, or
 * `application/octet-stream`. So are `multipart/*` and `message/*`: base64 is forbidden in them
 * (RFC 2046 5.1, 5.2.1), and a reader would take a file's inside for a part of the mail.
 */
export function chooseContentType(text: string | null, filename: string | null): ContentType {
  const parsed = text === null ? null : parseContentType(text)
  const result = parsed ?? guessFromName(filename ?? '')
  return /^(?:multipart|message)\//.test(result.type) ? octetStream : result
}

const typePattern =
  /^ *([A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,64}\/[A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,127}) *((?:;[^\r\n]*)?)$/
const parameterPattern =
  /; *([A-Za-z0-9!#$&+.^_`{|}~-]{1,32}) *= *(?:([A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,64})|"([ !#-[\]-~]{0,64})") */y

function parseContentType(text: string): ContentType | null {
  const match = text.length > 300 ? null : typePattern.exec(text)
  if (match === null) return null
  const type = (match[1] ?? '').toLowerCase()
  const rest = (match[2] ?? '').replace(/(?<![; ])[; ]+$/, '')
  const parameters = new Map<string, string>()
  for (parameterPattern.lastIndex = 0; parameterPattern.lastIndex < rest.length;) {
    const parameter = parameterPattern.exec(rest)
    if (parameter === null) return { type, parameters: [] }
    const name = (parameter[1] ?? '').toLowerCase()
    if (name !== 'name' && name !== 'boundary')
      parameters.set(name, parameter[2] ?? parameter[3] ?? '')
  }
  return { type, parameters: [...parameters] }
}

function guessFromName(filename: string): ContentType {
  const ending = /\.([a-z0-9]{1,5})$/.exec(filename.toLowerCase())?.[1] ?? ''
  const type = typesByEnding.get(ending)
  return type === undefined ? octetStream : { type, parameters: [] }
}

const typesByEnding: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ics', 'text/calendar'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['odp', 'application/vnd.oasis.opendocument.presentation'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['rtf', 'application/rtf'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['vcf', 'text/vcard'],
  ['webp', 'image/webp'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
])
