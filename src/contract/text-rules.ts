/**
 * Defines the rules that verbs check beyond a text's shape, as patterns for the OpenAPI description
 * (docs/decisions/0036).
 *
 * A part of a schema carries them as `x-rules`. The service itself checks such a text in its verb,
 * whose errors say more. The patterns are ECMA-262 with the flag `u`, without `\p{…}` and `\u{…}`,
 * which engines such as Python's lack. `test/docs/openapi-requests.test.ts` compares both.
 */

/**
 * C0, DEL, C1, line and paragraph separators (src/core/input/check-values.ts), and unpaired
 * surrogates.
 */
const controls = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff'

/** Any text that can be stored: valid Unicode without U+0000. */
export const anyText = '^[^\\u0000\\ud800-\\udfff]*$'

/** A single line. */
export const oneLine = { 'x-rules': { pattern: `^[^${controls}]*$` } }

/** The name of a webhook: without control characters, or blank. */
export const webhookName = {
  'x-rules': { pattern: '^(?:\\s*|[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*)$' },
}

const monthDay =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))'
const leapDay = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29'
const time =
  '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])'

/** RFC 3339 5.6, full-date: a day that exists. PostgreSQL reads this pattern too. */
export const isoDay = `^(?!0000)(?:[0-9]{4}-${monthDay}|${leapDay})$`

/** RFC 3339 5.6 with days that exist, without leap seconds (src/core/input/instant.ts). */
export const timeText = {
  'x-rules': {
    format: 'date-time',
    pattern: `^(?!0000)(?:[0-9]{4}-${monthDay}|${leapDay})[Tt ]${time}$`,
  },
}

/** JSON Schema has no flag for it. */
const anyCase = (words: string): string =>
  words.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
const relativeTime =
  'in (?:[0-9]{1,6}|an?) (?:secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?)'
const date = '(?:today|tomorrow|(?:on )?(?:sun|mon|tues|wednes|thurs|fri|satur)day)'
const timeOfDay =
  '(?:noon|midnight|(?:0?[1-9]|1[0-2])(?::[0-5][0-9])? ?(?:am|pm)|(?:[01]?[0-9]|2[0-3]):[0-5][0-9])'
const zone = '(?:utc|gmt|cet|cest|(?:e|c|m|p)(?:s|d)?t)'
const naturalTime = anyCase(`(?:${relativeTime}|${date} at ${timeOfDay}(?: ${zone})?)`)

/** RFC 3339, or words of `src/core/input/natural-time.ts`. */
export const scheduleText = {
  'x-rules': { pattern: `${timeText['x-rules'].pattern.slice(0, -1)}$|^${naturalTime}$` },
}

/** RFC 5322 3.6.8: printable ASCII but the colon (src/mail/mime/filter-headers.ts). */
export const headerNames = { 'x-rules': { propertyNames: { pattern: '^[!-9;-~]{1,76}$' } } }

/** `#rgb` or `#rrggbb`, with optional blanks around it. */
export const colour = { 'x-rules': { pattern: '^\\s*#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})\\s*$' } }

const urlAfterScheme =
  ':[/\\\\\\t\\r\\n]*[^/\\\\?#@\\u0000\\ud800-\\udfff]+(?:[/\\\\?#][^\\u0000\\ud800-\\udfff]*)?$'

/** http or https with a host, without user and password. */
export const webUrl = {
  'x-rules': { pattern: `^[\\u0001-\\u0020]*[Hh][Tt][Tt][Pp][Ss]?${urlAfterScheme}` },
}

/** https with a host, without user and password; an empty text counts as absent. */
export const httpsUrl = {
  'x-rules': { pattern: `^$|^[\\u0001-\\u0020]*[Hh][Tt][Tt][Pp][Ss]${urlAfterScheme}` },
}

/** The characters of `next_cursor`; an empty cursor is the first page. */
export const cursor = { 'x-rules': { pattern: '^[A-Za-z0-9_-]*$' } }
export const eventCursor = { 'x-rules': { pattern: '^(?:evt_[0-9a-f]{32})?$' } }
export const knownId = { 'x-rules': { pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' } }

/** Spaces and invisible characters of the Basic Multilingual Plane. */
const invisible =
  '\\u00a0\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u2000-\\u200f\\u202a-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb'

/**
 * Between quotes `<>,` are refused too (src/ground/address.ts). RFC 5322 3.2.3 and RFC 6531 3.3:
 * printable but `( ) < > [ ] : ; @ \ , . "`.
 */
const atom = `[^${controls} "(),.:;<>@[\\\\\\]${invisible}]`
const quotedLocal = `"(?:[^${controls}"\\\\<>,${invisible}]|\\\\[^${controls}<>,${invisible}]){1,64}"`
const local = `(?:(?=[^@]{1,64}@)${atom}+(?:\\.${atom}+)*|${quotedLocal})`
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const asciiDomain = `(?:${label}\\.)+(?!(?:[0-9]+|0[Xx][0-9A-Fa-f]*)[ >]*$)${label}(?=[ >]*$)`
/** UTS 46 decides which of them are valid names. */
const unicodeDomain = `(?=[^>]*[^\\u0000-\\u007f])(?:[A-Za-z0-9.\\u200c\\u200d-]|[^\\u0000-\\u007f${controls}${invisible}])+`
const address = `${local}@(?:${asciiDomain}|${unicodeDomain})`
const nowhere = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff'
/**
 * A single line without characters that change the reading direction
 * (src/core/input/check-values.ts).
 */
export const straightLine = { 'x-rules': { pattern: `^[^${nowhere}]*$` } }

/**
 * RFC 4648 4 and 5, with or without padding, broken into lines or not
 * (src/core/sending/read-files.ts).
 */
const gap = '[\\r\\n\\t ]*'
const letter = `[A-Za-z0-9+/_-]${gap}`
export const base64 = {
  'x-rules': { pattern: `^${gap}(?:(?:${letter}){4})*(?:(?:${letter}){2,3})?(?:=${gap}){0,2}$` },
}

/** RFC 2392, with the header's brackets or without. */
export const contentId = { 'x-rules': { pattern: '^(?:[!#-;=?-~]+|<[!#-;=?-~]+>)$' } }

const quotedName = '"(?:[^"\\\\]|\\\\[\\s\\S])*" *'
const plainName = '[^@,;:()[\\]\\\\"<>]+'

/** An address, or `Name <address>` (src/ground/address.ts). */
export const mailbox = {
  'x-rules': {
    pattern: `^(?=[^${nowhere}]*$) *(?:${address}|(?:${quotedName}|${plainName})?<${address}>) *$`,
  },
}

/** An address without a name. */
export const addressAlone = {
  'x-rules': { pattern: `^(?=[^${nowhere}]*$) *(?:${address}|(?:" *" *)?<${address}>) *$` },
}
