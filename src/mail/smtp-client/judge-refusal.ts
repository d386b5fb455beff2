/**
 * What a permanent refusal says about the address: the one judgement that suppresses somebody, so every doubt falls on the other side.
 *
 * 1. What is said before RCPT concerns the relay or the sender, never the recipient: not `hard`.
 * 2. Policy comes first (RFC 3463 3.8: X.7.x; or the words of block lists, reputation, spam, greylisting): `policy`.
 * 3. A destination address that does not exist (RFC 3463 3.2; RFC 7505 4.2 null MX): `hard`.
 * 4. The older servers, that say "user unknown" in words only: `hard` after 550, 551, 553 or 554.
 * 5. All else is `other`: full or disabled mailboxes (X.2.x), sizes, routing, the sender's address.
 */
import type { SmtpPhase } from './phase.ts'

export function judgeRefusal(phase: SmtpPhase, code: number, enhanced: string | null, text: string): 'hard' | 'policy' | 'other' {
  const words = withoutAddresses(text)
  if (enhanced?.startsWith('5.7.') || speaksOfPolicy.test(words)) return 'policy'
  if (!answersForRecipient(phase)) return 'other'
  if (enhanced !== null && hardCodes.has(enhanced)) return 'hard'
  // RFC 7504 4 and RFC 7505 4.2: the domain takes no mail at all.
  if (code === 556) return 'hard'
  if (enhanced !== null && senderCodes.has(enhanced)) return 'other'
  if (!textCodes.has(code) || speaksOfSender.test(words)) return 'other'
  return saysUnknown.test(words) ? 'hard' : 'other'
}

function answersForRecipient(phase: SmtpPhase): boolean {
  return phase === 'rcpt' || phase === 'data' || phase === 'replied'
}

/** RFC 3463 3.2: bad mailbox, bad system (no such domain), bad syntax, moved without a new address; RFC 7505: null MX. */
const hardCodes = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'])

/** RFC 3463 3.2: the sender's mailbox syntax, the sender's system. */
const senderCodes = new Set(['5.1.7', '5.1.8'])

/** RFC 5321 4.2.3; 554 is what some large sites answer to an unknown user. */
const textCodes = new Set([550, 551, 553, 554])

/** The recipient's own address is often echoed and may hold any word: `<spam@example.com>: user unknown`. */
function withoutAddresses(text: string): string {
  return text.replace(/<[^>\s]*@[^>]*>|"[^"]*"@\S+|\S+@\S+/g, ' ')
}

const speaksOfPolicy = new RegExp(
  [
    /\bspam\b|\bspamm|anti-?spam|unsolicited|\bbulk (e-?)?mail/,
    /spamhaus|spamcop|barracuda ?central|sorbs\b|\brbls?\b|dns-?bls?\b|(block|black|deny)[- ]?list|\blisted (by|in|at|on)\b/,
    /\b(is|been|was|are|has been|temporarily|currently|permanently) (blocked|banned)\b|\bblocked\b/,
    /reputation|grey-?list|gray-?list/,
    /\bpolic(y|ies)\b|content (rejected|filter|not allowed)|prohibited|not permitted|not allowed to send/,
    /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|authentication (required|failed|checks?)|not authori[sz]ed|unauthori[sz]ed/,
    /relay(ing)? (access )?(is )?(denied|not (allowed|permitted)|prohibited|disallowed)|(unable|not allowed|not permitted) to relay|cannot relay/,
    /access denied|administrative(ly)? prohibit|virus|malware|phish|malicious|suspicious/,
    /rate limit|too many (connections|messages|complaints)|throttl/,
    /reverse dns|\bptr\b|rdns/,
  ]
    .map((part) => part.source)
    .join('|'),
  'i',
)

const speaksOfSender = /\bsender\b|\bmail ?from\b|return[- ]path|\bfrom address\b|\bsending domain\b/i

const saysUnknown = new RegExp(
  [
    /(user|mailbox|recipient|account|addressee|address|alias|mail ?drop|box|local[- ]part|e-?mail( address)?) (is |was |name )?(unknown|not known|not found|invalid|nonexist[ae]nt|non-exist[ae]nt)\b/,
    /(user|mailbox|recipient|account|addressee|address|alias|domain|host|box|e-?mail( account| address)?)[^.;]{0,60}?(does ?n[o']t|doesn.t|do not|did not|didn.t) exist/,
    /\b(unknown|invalid|non-?exist[ae]nt|inexistent|no such) (local )?(user|mailbox|recipient|account|addressee|address|alias|mail ?drop|local[- ]part|person|rcpt|e-?mail)/,
    /no mailbox (here|by that|with that|found|exists)|no (user|account|recipient|person) (here |by |with |of )?(that|this) name/,
    /no (one|body) (here )?by that name|this (user|account|address) (doesn.t|does not) have (a|an)\b/,
    /(couldn.t|could not|cannot|can.t) (be found|find)[^.;]{0,30}(user|mailbox|recipient|account|address)/,
    /(user|mailbox|recipient|account|address)[^.;]{0,30}(could not|couldn.t|cannot|can.t|can not) be found/,
    /not (a )?(known|valid|existing) (local )?(user|mailbox|recipient|account|address)/,
    /not our (customer|user)|user not (local|here)|there is no (such )?(user|mailbox|account|address|recipient)/,
    /domain (name )?(not found|unknown|invalid)|unknown domain|no such domain|nxdomain|null mx|(does not|doesn.t) accept (e-?)?mail( at all)?\b/,
  ]
    .map((part) => part.source)
    .join('|'),
  'i',
)
