/**
 * Parses e-mail addresses: reads a text from outside as exactly one mailbox, or says which rule it
 * breaks and where.
 */
import { readDomain, type DomainRule } from './domain-name.ts'

/**
 * One mailbox, normalized. Two texts for the same mailbox give the same `address`, and the same
 * `key` whatever their case.
 */
export interface Mailbox {
  /**
   * Display name without quotes and outer spaces; null when there is none. Never holds a control
   * character.
   */
  name: string | null
  /**
   * The local part for SMTP: a dot-atom, or a quoted string where a dot-atom is impossible. ≤ 64
   * bytes. The case stays.
   */
  local: string
  /** Lower-case A-labels with at least one dot, ≤ 253 bytes. */
  domain: string
  /** `local@domain`, for MAIL FROM and RCPT TO. */
  address: string
  /** `address` in lower case and NFC, for comparisons in the suppression list and look-ups. */
  key: string
}

/**
 * All rules that an address can break. The names are part of the contract: an error's details
 * contain them.
 */
export type AddressRule =
  | 'empty'
  /** C0, C1, line and paragraph separators, unpaired surrogates: allowed nowhere. */
  | 'control_character'
  /** Bidi embeddings, overrides and isolates: allowed nowhere. */
  | 'misleading_character'
  /** There is no `@`. */
  | 'missing_at'
  /** A comma or semicolon: one entry is one mailbox. */
  | 'more_than_one_address'
  /** `Name: a@b, c@d;` (RFC 5322 3.4). */
  | 'group'
  /** `(…)` outside quotes. A name with parentheses goes in double quotes. */
  | 'comment'
  /** `<@relay:user@domain>` (RFC 5321 appendix C). */
  | 'source_route'
  /** `[ ] \ @ "` in a name outside quotes: put the name in double quotes. */
  | 'name_needs_quotes'
  | 'unclosed_quote'
  | 'unclosed_angle'
  | 'text_after_address'
  | 'empty_local_part'
  | 'local_part_character'
  /** First, last or double dot. */
  | 'local_part_dot'
  /** More than 64 bytes (RFC 5321 4.5.3.1.1). */
  | 'local_part_too_long'
  | DomainRule

export interface AddressProblem {
  rule: AddressRule
  /** The position in code points from the start of the text. */
  at: number
  /** The misleading character, such as `U+202E`. */
  found?: string
}

/**
 * Reads `local@domain`, `<local@domain>`, `Name <local@domain>` or `"Any, name" <local@domain>`
 * (RFC 5322 3.4 without its obsolete forms, comments, groups and routes; RFC 6531 for characters
 * outside ASCII). An encoded word in a name stays text. Never throws; takes time linear in the
 * text.
 */
export function parseMailbox(text: string): Mailbox | AddressProblem {
  const result = plainPattern.test(text) ? readPlain(text) : readMailbox(text)
  if (!('problem' in result)) return result
  const match = result.problem === 'misleading_character' && misleadingCharacter(text)
  return {
    rule: result.problem,
    at: codePointsBefore(text, result.at),
    ...(match && { found: match }),
  }
}

/**
 * Writes the text that `parseMailbox` reads back as the same mailbox. Not for a mail's header: see
 * mail/address-header.ts.
 */
export function formatMailbox(mailbox: Pick<Mailbox, 'name' | 'address'>): string {
  if (mailbox.name === null) return mailbox.address
  return `${unquotedNamePattern.test(mailbox.name) ? mailbox.name : quote(mailbox.name)} <${mailbox.address}>`
}

interface Failure {
  problem: AddressRule
  /** In UTF-16 units. */
  at: number
}

const fail = (problem: AddressRule, at: number): Failure => ({ problem, at })

/**
 * ASCII atoms and a bare `@`, like nearly every address. The domain is validated like any other.
 */
const plainPattern =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9.-]+$/

function readPlain(text: string): Mailbox | Failure {
  const at = text.indexOf('@')
  return finish(null, {
    local: text.slice(0, at),
    domainText: text.slice(at + 1),
    start: 0,
    domainStart: at + 1,
  })
}

/**
 * Control characters, and those that change the reading direction: `exe.fdp` must not read as
 * `pdf.exe` (Unicode TR 36 2.1).
 */
export const forbiddenPattern = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

const misleadingPattern = /[\u202a-\u202e\u2066-\u2069]/u

/**
 * Returns the first character that changes the reading direction, as `U+202E`. Null if the text has
 * none.
 */
export function misleadingCharacter(text: string): string | null {
  const [character] = misleadingPattern.exec(text) ?? []
  return character === undefined ? null : `U+${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function readMailbox(text: string): Mailbox | Failure {
  const forbidden = text.search(forbiddenPattern)
  if (forbidden !== -1)
    return fail(
      misleadingPattern.test(text[forbidden] ?? '') ? 'misleading_character' : 'control_character',
      forbidden,
    )
  const start = skipSpaces(text, 0)
  if (start === text.length) return fail('empty', 0)
  if (text[start] === '<') return readAngle(text, start, null)
  if (text[start] !== '"') return readUnquoted(text, start)
  const quoted = readQuoted(text, start)
  if ('problem' in quoted) return quoted
  if (text[quoted.end] === '@') return readBare(text, start)
  const next = skipSpaces(text, quoted.end)
  if (text[next] === '<') return readAngle(text, next, quoted.content)
  return next === text.length
    ? fail('missing_at', next)
    : fail(outsideRule(text[next]) ?? 'name_needs_quotes', next)
}

/** Reads a name without quotes up to its `<`, or an address alone. */
function readUnquoted(text: string, start: number): Mailbox | Failure {
  for (let i = start; i < text.length; i++) {
    const character = text[i]
    if (character === '@') return readBare(text, start)
    if (character === '<') return readAngle(text, i, text.slice(start, i).replace(/ {2,}/g, ' '))
    const rule = outsideRule(character)
    if (rule !== null) return fail(rule, i)
  }
  return fail('missing_at', text.length)
}

/** The rules that characters break outside quotes. */
const outsideRules: [characters: string, rule: AddressRule][] = [
  [',;', 'more_than_one_address'],
  [':', 'group'],
  ['()', 'comment'],
  ['[]\\">', 'name_needs_quotes'],
]

const outsideRule = (character: string | undefined): AddressRule | null =>
  outsideRules.find(
    ([characters]) => character !== undefined && characters.includes(character),
  )?.[1] ?? null

function readBare(text: string, start: number): Mailbox | Failure {
  const address = readAddress(text, start, text.length - trailingSpaces(text))
  if ('problem' in address) return address
  const mailbox = finish(null, address)
  if (!('problem' in mailbox) || mailbox.problem !== 'domain_character') return mailbox
  // The text after the domain says more than the character that ended it: `a@b.c, d@e.f`, `a@b.c
  // (x)`, `a@b.c <a@b.c>`.
  const next = skipSpaces(text, mailbox.at)
  if (text[next] === '<') return fail('name_needs_quotes', start)
  if (text[next] === ',' || text[next] === ';') return fail('more_than_one_address', next)
  return text[next] === '(' ? fail('comment', next) : mailbox
}

function readAngle(text: string, open: number, name: string | null): Mailbox | Failure {
  const close = closingAngle(text, open)
  if (close === -1) return fail('unclosed_angle', open)
  const after = skipSpaces(text, close + 1)
  if (after !== text.length)
    return fail(
      text[after] === ',' || text[after] === ';' ? 'more_than_one_address' : 'text_after_address',
      after,
    )
  if (text[open + 1] === '@') return fail('source_route', open + 1)
  const address = readAddress(text, open + 1, close)
  return 'problem' in address ? address : finish(name, address)
}

/** Finds the `>` that ends the address; one inside a quoted local part does not. */
function closingAngle(text: string, open: number): number {
  if (text[open + 1] !== '"') return text.indexOf('>', open)
  const quoted = readQuoted(text, open + 1)
  return 'problem' in quoted ? -1 : text.indexOf('>', quoted.end)
}

interface Address {
  local: string
  domainText: string
  start: number
  domainStart: number
}

function readAddress(text: string, start: number, end: number): Address | Failure {
  const local = text[start] === '"' ? readQuotedLocal(text, start) : readAtomLocal(text, start, end)
  if ('problem' in local) return local
  if (local.end >= end) return fail('missing_at', end)
  if (text[local.end] !== '@')
    return fail(outsideRule(text[local.end]) ?? 'local_part_character', local.end)
  return {
    local: local.content,
    domainText: text.slice(local.end + 1, end),
    start,
    domainStart: local.end + 1,
  }
}

interface Piece {
  content: string
  /** The position after its last character. */
  end: number
}

const atomPattern = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|\P{ASCII}/u
/** Spaces and invisible characters make two addresses look like one. */
const invisiblePattern = /[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

function readAtomLocal(text: string, start: number, end: number): Piece | Failure {
  let i = start
  for (; i < end && text[i] !== '@'; i++) {
    const character = text[i] ?? ''
    if (character === '.') {
      if (i === start || text[i + 1] === '.' || text[i + 1] === '@')
        return fail('local_part_dot', i)
    } else if (!atomPattern.test(character)) {
      return fail(outsideRule(character) ?? 'local_part_character', i)
    }
  }
  const content = text.slice(start, i)
  const invisible = content.search(invisiblePattern)
  return invisible === -1 ? { content, end: i } : fail('local_part_character', start + invisible)
}

const dotAtomPattern =
  /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|\P{ASCII})+(?:\.(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|\P{ASCII})+)*$/u

/**
 * RFC 5321 4.1.2 allows them between quotes, but header parsers that skip the quotes read a second
 * address out of them.
 */
const misreadPattern = /[<>,]/

/**
 * RFC 5321 4.1.2: the quoted form means the same as the plain one where both are possible, so the
 * plain one is stored.
 */
function readQuotedLocal(text: string, start: number): Piece | Failure {
  const quoted = readQuoted(text, start)
  if ('problem' in quoted) return quoted
  const invisible = quoted.content.replaceAll(' ', '_').search(invisiblePattern)
  if (invisible !== -1) return fail('local_part_character', start)
  const misread = text.slice(start, quoted.end).search(misreadPattern)
  if (misread !== -1) return fail('local_part_character', start + misread)
  const content =
    quoted.content === '' || dotAtomPattern.test(quoted.content)
      ? quoted.content
      : quote(quoted.content)
  return { content, end: quoted.end }
}

function readQuoted(text: string, start: number): Piece | Failure {
  let content = ''
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '"') return { content, end: i + 1 }
    if (text[i] === '\\' && ++i === text.length) break
    content += text[i]
  }
  return fail('unclosed_quote', start)
}

const quote = (content: string): string => `"${content.replace(/["\\]/g, '\\$&')}"`

/**
 * Letters, digits and the marks that need no quotes, single spaces between. `formatMailbox` quotes
 * everything else.
 */
const unquotedNamePattern = /^[^ "(),:;<>@[\\\]]+(?: [^ "(),:;<>@[\\\]]+)*$/

function finish(
  name: string | null,
  { local, domainText, start, domainStart }: Address,
): Mailbox | Failure {
  if (local === '') return fail('empty_local_part', start)
  if (Buffer.byteLength(local) > 64) return fail('local_part_too_long', start)
  const domain = readDomain(domainText)
  if (typeof domain !== 'string') return fail(domain.rule, domainStart + domain.at)
  const address = `${local}@${domain}`
  return { name: name?.trim() || null, local, domain, address, key: toKey(address) }
}

const toKey = (address: string): string => address.normalize('NFC').toLowerCase().normalize('NFC')

function skipSpaces(text: string, from: number): number {
  let i = from
  while (text[i] === ' ') i++
  return i
}

function trailingSpaces(text: string): number {
  let count = 0
  while (text[text.length - 1 - count] === ' ') count++
  return count
}

const codePointsBefore = (text: string, end: number): number => [...text.slice(0, end)].length
