/**
 * Filters a caller's own headers: drops those that callers may not set, refuses those that no mail
 * can carry.
 */
import { words } from '../../ground/words.ts'

export type HeaderRule =
  /** Not 1 to 76 printable ASCII characters without a colon. */
  | 'header_name'
  /** Holds CR, LF or NUL. */
  | 'header_value'
  /** The same name twice, in two spellings: names are case-insensitive. */
  | 'header_repeated'
  /** All kept headers together hold more than `headersMax` bytes. */
  | 'headers_too_long'

export interface HeaderProblem {
  rule: HeaderRule
  /** The name as the caller wrote it; null when no single header is to blame. */
  header: string | null
}

/**
 * Limit in bytes of all kept names and values together, in UTF-8. Encoding can triple them, and
 * Postfix takes everything beyond 102,400 bytes of headers (header_size_limit) for the body.
 */
export const headersMax = 32_768

/**
 * Returns the headers to send, in the caller's order; drops some by name, whatever the value (spec:
 * EmailRequest, `headers`).
 */
export function filterHeaders(
  headers: Readonly<Record<string, string>>,
): Array<[string, string]> | HeaderProblem {
  const passed: Array<[string, string]> = []
  const names = new Set<string>()
  let length = 0
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase()
    if (!namePattern.test(header)) return { rule: 'header_name', header }
    if (isReserved(name)) continue
    if (/[\r\n\0]/.test(value)) return { rule: 'header_value', header }
    if (names.has(name)) return { rule: 'header_repeated', header }
    length += header.length + Buffer.byteLength(value)
    if (length > headersMax) return { rule: 'headers_too_long', header: null }
    names.add(name)
    passed.push([header, value])
  }
  return passed
}

/** RFC 5322 3.6.8: printable ASCII but the colon. */
export const namePattern = /^[!-9;-~]{1,76}$/

/**
 * Identity, routing and trust: set by the service and by the servers on the way, never by a caller.
 */
const reservedNames: ReadonlySet<string> = new Set([
  ...words(`
    from to cc bcc sender reply-to return-path date message-id subject mime-version authentication-results feedback-id errors-to
  `),
  // Written by the server that delivers: mail servers take them for the envelope or for a loop.
  ...['delivered-to', 'envelope-to', 'apparently-to'],
  // A relay's control header: recipients and substitutions in one value.
  'x-smtpapi',
])

const reservedPrefixes = [
  ...['content-', 'dkim-', 'arc-', 'received', 'list-', 'resent-', 'cfbl-'],
  // Relays' control headers.
  ...['x-ses-', 'x-pm-', 'x-mailgun-', 'x-mc-', 'x-msys-', 'x-sg-', 'x-postal-'],
]

/** `name` in lower case. */
export const isReserved = (name: string): boolean =>
  reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
