/**
 * Reads a mail server's reply into kinds that users understand: its codes first, then its words.
 */
import { bounceClassOf, codesOf } from './classify-bounce.ts'

export type Meaning =
  | 'accepted'
  | 'unknown_address'
  | 'unknown_domain'
  | 'mailbox_full'
  | 'mailbox_closed'
  | 'message_too_large'
  | 'greylisted'
  | 'too_fast'
  | 'spam'
  | 'blocked'
  | 'authentication'
  | 'refused_by_policy'
  | 'not_reachable'
  | 'busy'
  | 'refused_for_now'
  | 'refused'

export interface MailServerAnswer {
  /** As it came. */
  text: string
  /** Reply code (RFC 5321 4.2), enhanced status code (RFC 3463). */
  code: number | null
  enhanced: string | null
  /** Null if it is no answer of a server, but words of ours. */
  meaning: Meaning | null
}

export function readAnswer(text: string): MailServerAnswer {
  const [, reply, success] = /^(2\d\d)(?:[ -]#?(2\.\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/.exec(text) ?? []
  if (reply !== undefined)
    return { text, code: Number(reply), enhanced: success ?? null, meaning: 'accepted' }
  const { code, enhanced } = codesOf(null, text)
  return { text, code, enhanced, meaning: meaningOf(code, enhanced, text.toLowerCase()) }
}

/**
 * Each holds by one of its codes (RFC 3463 3, IANA's list of enhanced codes), or by its words; the
 * first that holds decides.
 */
const rows: { is: Meaning; codes?: RegExp; says?: RegExp }[] = [
  {
    is: 'unknown_domain',
    codes: /^[45]\.(1\.(2|10)|4\.4)$/,
    says: /nxdomain|null mx|domain (name )?(not found|unknown)|no such domain/,
  },
  { is: 'greylisted', says: /gr[ae]y-?list/ },
  {
    is: 'authentication',
    codes: /^[45]\.7\.(2[0-9]|30)$/,
    says: /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated/,
  },
  {
    is: 'too_fast',
    codes: /^4\.7\.(28|29)$|^[45]\.(2\.[38]|3\.[29])$/,
    says: /rate limit|too many|too fast|too quickly|throttl/,
  },
  { is: 'spam', says: /\bspam\b|unsolicited|\bjunk\b|phish|malware|virus/ },
  {
    is: 'blocked',
    codes: /^[45]\.7\.606$/,
    says: /block(ed| ?list)|black ?list|\bbanned\b|\blisted\b|spamhaus|reputation|rbl\b/,
  },
  { is: 'mailbox_full', codes: /^[45]\.2\.2$/, says: /quota|mailbox (is )?full|out of storage/ },
  {
    is: 'mailbox_closed',
    codes: /^[45]\.2\.1$/,
    says: /disabled|inactive|suspended|deactivated|closed/,
  },
  {
    is: 'message_too_large',
    codes: /^[45]\.(2\.3|3\.4)$/,
    says: /too (large|big)|size limit|exceeds .{0,20}size/,
  },
  { is: 'unknown_address', codes: /^5\.1\.[016]$/ },
  {
    is: 'not_reachable',
    codes: /^[45]\.4\.[12]$/,
    says: /timed? ?out|connection (refused|reset|lost|closed)|unreachable|no route|greeting/,
  },
  { is: 'busy', codes: /^4\.(3\.[012]|4\.5)$/, says: /try again|temporar|busy|unavailable/ },
  { is: 'refused_by_policy', codes: /^[45]\.7\./ },
]

function meaningOf(code: number | null, enhanced: string | null, words: string): Meaning | null {
  const isHard = bounceClassOf(null, words) === 'hard'
  const row = rows.find(
    (item) => (enhanced !== null && item.codes?.test(enhanced)) || item.says?.test(words),
  )
  if (row && !(isHard && ['spam', 'blocked', 'busy', 'mailbox_closed'].includes(row.is)))
    return row.is
  if (isHard) return 'unknown_address'
  if (code === null && enhanced === null) return null
  return (code ?? Number(enhanced?.[0]) * 100) < 500 ? 'refused_for_now' : 'refused'
}
