/**
 * Parses domain names: converts a typed name to lower-case A-labels (RFC 5890), or says which rule
 * it breaks and where.
 */
import { domainToASCII, domainToUnicode } from 'node:url'

export type DomainRule =
  | 'empty_domain'
  /** `user@[192.0.2.1]`, and numbers that a resolver would take for an address. */
  | 'ip_address'
  | 'domain_without_dot'
  | 'domain_character'
  /** An empty label, one of more than 63 bytes, or one that begins or ends with a hyphen. */
  | 'domain_label'
  /** More than 253 bytes. */
  | 'domain_too_long'
  /** Not a valid internationalised name (UTS 46), or an `xn--` label that decodes to nothing. */
  | 'domain_not_idna'

export interface DomainProblem {
  rule: DomainRule
  /** The position in UTF-16 units from the start of the text. */
  at: number
}

/**
 * Parses a name of two labels or more. It checks the input before the conversion and the output
 * after it. `domainToASCII` alone accepts `a%41.com`, `0x7f.1`, `a#b` and `xn--` labels that mean
 * nothing. Never throws.
 */
export function readDomain(text: string): string | DomainProblem {
  const broken = (rule: DomainRule, at = 0): DomainProblem => ({ rule, at })
  if (text === '') return broken('empty_domain')
  if (text[0] === '[') return broken('ip_address')
  // Normalisation can only shrink a text so far: a longer text cannot become a valid name.
  if (text.length > 1000) return broken('domain_too_long')
  // Nearly every name is plain, and any other that passes has a character beyond ASCII.
  const isPlain = plainPattern.test(text)
  const character = isPlain ? -1 : text.search(badDomainCharacterPattern)
  if (character !== -1) return broken('domain_character', character)
  const ascii = isPlain ? text.toLowerCase() : domainToASCII(text)
  if (ascii === '') return broken('domain_not_idna')
  if (ascii.length > 253) return broken('domain_too_long')
  const labels = ascii.split('.')
  if (!labels.every((label) => labelPattern.test(label))) return broken('domain_label')
  if (labels.length < 2) return broken('domain_without_dot')
  if (numberPattern.test(labels.at(-1) ?? '')) return broken('ip_address')
  if (ascii.includes('xn--') && !labels.every(isTrueLabel)) return broken('domain_not_idna')
  return ascii
}

/**
 * Parses a name as people type or paste it: spaces, a scheme, a port, a path and a final dot are
 * left out. `https://Mail.Shop.example/` is `mail.shop.example`.
 */
export const readTypedDomain = (text: string): string | DomainProblem =>
  readDomain(
    text
      .trim()
      .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
      .replace(/[/?#].*$/s, '')
      .replace(/:\d{1,5}$/, '')
      .replace(/\.$/, ''),
  )

const plainPattern = /^[A-Za-z0-9.-]*$/
/**
 * Includes spaces and invisible characters, since UTS 46 would silently drop some of them.
 * `domainToASCII` checks joiners.
 */
const badDomainCharacterPattern =
  /[^A-Za-z0-9.\x80-\u{10ffff}-]|(?![\u200c\u200d])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u
const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Texts that the WHATWG host parser and old resolvers read as a number. */
const numberPattern = /^(?:[0-9]+|0x[0-9a-f]*)$/

/** An `xn--` label must decode, and encode to itself again. */
function isTrueLabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true
  const unicode = domainToUnicode(label)
  return unicode !== '' && unicode !== label && domainToASCII(unicode) === label
}
