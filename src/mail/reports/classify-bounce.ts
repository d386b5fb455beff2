/**
 * Classifies a refusal, whatever its source: a server's reply to our own attempt, a DSN (RFC 3464),
 * a provider's notice. One table serves all.
 *
 * `hard` suppresses an address at once, so every doubt leads to another class:
 * 1. Policy comes first (RFC 3463 3.8: X.7.x; or the words of block lists, reputation,
 *    authentication, greylisting, rates).
 * 2. A full mailbox is soft, even where a server calls it an unknown one.
 * 3. A refusal about us (our greeting, our addresses, our headers, the mail's size), about loops
 *    and faults says nothing of the recipient, whatever its code, even with "unknown" or "not
 *    found" in it.
 * 4. Only a destination that does not exist is `hard`: by its code (RFC 3463 3.2, RFC 7505 4.2)
 *    where the words speak of the address or say nothing, or by the words of servers without a
 *    code, or with a meaningless one.
 * 5. A domain is dead only for good: a name server that did not answer says nothing of it.
 * 6. Full, disabled, unreachable, tired of trying: `soft`. A temporary refusal is never more than
 *    that.
 * 7. Sizes, faults, loops, the sender's own address: `other`.
 */
import type { BounceClass } from '../../contract/emails.ts'
import { noticeReasons } from './notice-sentences.ts'

export interface BounceRefusal {
  /** Reply code (RFC 5321 4.2); null where there was none. */
  code: number | null
  /** Enhanced status code (RFC 3463), such as `5.1.1`; null where there was none. */
  enhanced: string | null
  text: string
}

/** All that a row names must hold; the first row that holds decides. */
interface Row {
  is: BounceClass
  /** Subject and detail of enhanced codes; with `.x` for any detail. */
  codes?: string[]
  replies?: number[]
  says?: RegExp
}

/**
 * A server that says "user unknown" in words only says it with one of these (RFC 5321 4.2.3), or
 * its words come without a code.
 */
const wordy = [550, 551, 552, 553, 554]

const unknown = [
  /(user|mailbox|recipient|account|addressee|address(es)?|alias|mail ?drop|box|local[- ]part|e-?mail( address)?) (is |was |were |name )?(unknown|not known|not found|invalid|nonexist[ae]nt|non-exist[ae]nt|not exists?)\b/,
  /(user|mailbox|recipient|rcpt|account|addressee|address|alias|box|e-?mail( account| address)?)[^.;]{0,60}?(does ?n[o']t|doesn.t|do not|did not|didn.t|does no|don't) exists?/,
  /\b(unknown|invalid|non-?exist[ae]nt|inexistent|no such) (or unknown |or illegal )?(virtual |local )?(user|mailbox|recipient|account|address|addressee|alias|mail ?drop|local[- ]part|person|rcpt|e-?mail(?! (body|header|message|content|format)))/,
  /no mail[- ]?box (here|by that|with that|found|exists|available for)|no (user|account|recipient|person) (here |by |with |of )?(that|this) name/,
  /no (one|body) (here )?(by that name|with that e-?mail)|(there is )?no ?one at this address|this (user|account|address) (doesn.t|does not) have (a|an)\b/,
  /(couldn.t|could not|cannot|can.t) (be found|find)[^.;]{0,30}(user|mailbox|recipient|account|address)/,
  /(user|mailbox|recipient|account|address)[^.;]{0,30}(could not|couldn.t|cannot|can.t|can not) be found|local user [^.;]{0,60}not found/,
  /not (a )?(known|valid|existing) (local )?(user|mailbox|recipient|account|address)|not an active address at this host|address no longer accepts mail|\bbad (destination )?(recipient|mailbox)\b/,
  /not our (customer|user)|user not (local|here)|there is no (such )?(user|mailbox|account|address|recipient)|no such (id|recipient|address)\b/,
  // The servers of other languages.
  /utilisateur inconnu|destinataire (inconnu|invalide)|adresse d.? ?au moins un destinataire invalide|benutzer (nicht bekannt|unbekannt)|empf(ae|ä)nger (ist )?unbekannt/,
  /destinatario (sconosciuto|errato|inesistente)|indirizzo inesistente|utente (sconosciuto|inesistente)|no existe (dicha persona|ese usuario)|usuario (desconocido|inexistente)|nie ma takiego konta/,
  /usu(a|á)rio (desconhecido|inexistente|n(a|ã)o (existe|encontrado))|destinat(a|á)rio (desconhecido|inexistente|n(a|ã)o encontrado)|destinatario (desconocido|inexistente)|gebruiker (is )?onbekend|onbekende (gebruiker|ontvanger)|ontvanger (is )?onbekend|unbekannter (benutzer|empf(ae|ä)nger)|destinataire (inexistant|introuvable)|adresse[^.;]{0,60} n.existe (pas|plus)|boi?te (aux lettres )?inexistante/,
]

/** A domain that takes no mail at all. */
const deadDomain = [
  /domain (name )?(is )?(not found|unknown|invalid)|(unknown|invalid|illegal|no such|nonexist[ae]nt|non-exist[ae]nt) ?(mail )?(domain|host)|(domain|host)\b[^;]{0,80}?(does ?n[o']t|doesn.t|did not) exist|nxdomain/,
  /null ?mx|\bno mx\b|no mail exchanger|couldn.t find a mail exchanger|record indicated no smtp service|(does not|doesn.t) accept (e-?)?mail( at all)?\b/,
  /host (or domain name )?(is )?(not found|unknown)|couldn.t find any host (named|by that name)|name does not resolve|name or service not known|unroute?able (address|mail domain)|mx records point to non-existent hosts/,
]

const policy = [
  /\bspam\b|\bspamm|anti-?spam|unsolicited|\bbulk (e-?)?mail|\bjunk ?mail/,
  /spamhaus|spamcop|barracuda ?central|sorbs\b|\brbls?\b|dns-?bls?\b|(block|black|deny|white|allow)[- ]?list|\blisted (by|in|at|on)\b/,
  /\b(is|been|was|are|has been|temporarily|currently|permanently) (blocked|banned)\b|\bblocked\b|\bbanned\b/,
  /reputation|grey-?list|gray-?list/,
  /\bpolic(y|ies)\b|content (rejected|filter|denied|not allowed)|prohibited|not permitted|not allowed to send/,
  /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|authenti(cation|fication|fizierung) (required|requise|failed|checks?)|not authori[sz]ed|unauthori[sz]ed/,
  /relay(ing)? (access )?(is )?(denied|not (allowed|permitted)|prohibited|disallowed)|(unable|not allowed|not permitted) to relay|cannot relay/,
  /access denied|administrative(ly)? prohibit|virus|malware|phish|malicious|suspicious/,
  /\b(sending|daily|hourly|monthly|outgoing|outbound|relay|smtp)( \w+){0,2} (quota|limit)s?\b/,
  /rate limit|too many (connections|messages(?! on the server)|complaints|sessions|invalid recipients)|throttl|complaints|unusual (rate|volume)|unexpected volume|excessive volume/,
  /reverse dns|\bptr\b|rdns|not accepting connections from/,
  // The recipient's own choice.
  /\brecipient.{0,3} preferences\b|\bnot accepting (e-?)?mail from\b|does(n.t| not) (want|wish) to receive/,
]

const full = [
  /over (its |the |their )?quota|overquota|quota (is |was |has been )?(exceeded|full|violation)|exceed(s|ed|ing)? (its |the |allowed |their )?(storage|quota|mailbox)|(mailbox|mail ?box|inbox|account|user|recipient)( is|'s mailbox is)? full\b/,
  /exhausted allowed storage|out of storage|storage (limit|quota|space)|insufficient (system )?(storage|disk)|no space left|too many messages on the server|mailbox limit/,
  /boite (du destinataire )?pleine|boîte (du destinataire )?pleine|speichervolumen|postfach (ist )?voll|casella piena|buz(o|ó)n lleno/,
]

const asleep = [
  /(account|mailbox|user|recipient|address)[^.;]{0,60}\b(inactive|disabled|suspended|deactivated|discontinued|not active|not activated|expired|locked|closed|archived|unavailable|not accepting)|\bis no longer valid\b/,
  /\b(inactive|disabled|suspended|deactivated|archived|locked|closed|expired) (e-?mail )?(account|mailbox|user|recipient|address)|DisabledUser|account closed/,
  /receiving mail (too quickly|at a rate)|message receive limit/,
]

const tired = [
  /timed? ?out|connection (refused|reset|dropped|was closed|lost)|no route to host|network (is )?unreachable|wasn.t able to establish an smtp connection/,
  /(message|delivery time|queue|retry timeout)[^.;]{0,20}(expired|exceeded)|in the queue too long|too long in (the )?queue|delivery (expired|timeout|time expired)/,
  /try (again|later)|essayer plus tard|temporar(y|ily)|temporaire|server busy|overload|insufficient resources/,
]

/**
 * Our side of the conversation, and what a mail holds: a server that looks us up and finds nothing
 * uses the words of `unknown`.
 */
const ours = [
  /\bsender\b|\bmail ?from\b|return[- ](path|address)|reverse[- ]path|\b(envelope )?from:? (address|domain)\b|\bsending domain\b|emetteur|absender/,
  /\b(helo|ehlo)\b|\bclient host\b|\bcall-?(back|out)\b|^(\d{3}[- ])?verification failed for\b|reverse (lookup|hostname)|resource record/,
  /\byour (own |sending |relay )?(e-?mail |mail )?(domain|host|server|system|client|ip|reverse|relay|provider|account|plan|subscription)\b/,
  /\bheaders?\b|\bheader[- ]from\b|reply-to|\battach(ed|ments?)\b|\burls?\b|bare (lf|cr)\b|\bpassword\b|\bsmtp auth\b|\b(tls|starttls|encryption) (is )?(required|needed)\b/,
  /too (large|big)\b|\b(message|mail|line|header)s? (is |are |was )?too long\b|\b(larger|bigger|longer) than\b|\b(message|mail|maximum|size) (size|limit)|exceed(s|ed|ing)? [^.;]{0,40}\b(size|length)\b/,
]

/** How much we send, and how fast: beside the code of an absent address it is what is meant. */
const rates =
  /\btoo (many|much|fast|frequent)|\brate\b|\b(per|this|in an?|every|last) (seconds?|minutes?|hours?|days?)\b|\blimit\b|\bquota\b|\bhas sent\b|\b(hourly|daily|monthly)\b|\bslow down\b/i

/**
 * Our mail, or the server's own state: another mail would fare the same at any address, or no worse
 * here.
 */
const faults =
  /hop count|too many hops|\bloop(s|ed|ing)?\b|(couldn.t|can.?t|cannot|unable to) (create|open|write|lock|save)\b|permission denied|i\/o error|(command|process) (died|failed)|mailer error|config(uration)? error/i

/** The address, or its domain, may exist: a server did not answer. */
const passing =
  /\btemporar(y|ily)\b|(?<!not going to )try again\b|\bservfail\b|\btimed? ?-?out\b|\bretry time|(?!dns error: domain name not found)\b(directory|ldap|lookup|dns|database|name server|nameserver) (error|failure|time-?out|failed|timed out|unavailable)|\bname server reply\b|\bfailing for a long time\b|\bconnection (refused|reset|lost|dropped)/i

/**
 * Codes of a destination that does not exist: RFC 3463 3.2 (bad mailbox, bad system, bad syntax,
 * moved), RFC 7505 4.2 (null MX).
 */
const absent = ['1.1', '1.2', '1.3', '1.6', '1.10']

/**
 * Words about the recipient, or none: a code of an absent address with other words is about
 * something else (RFC 3463 3.2).
 */
const ofRecipient =
  /^[^a-z]*$|address|e-?mail|mail ?-?drop|\bbox|mail-?box|inbox|recipient|rcpt|\buser|\baccount|\balias|person\b|people\b|customer|student|member|employee|\bname\b|unknown|exist|not found|recogni[sz]ed|invalid|valid\b|no such|answer[=/]6596|\bhost|domain|moved|here\b|undeliverable|[^\x00-\x7f]|utilisateur|destinat|adres|indirizzo|direcci|endere|boi?te|casella|caixa|buzon|benutzer|empf|postfach|konto|konta|utente|usuari|gebruiker|ontvanger|postbus/i

const anyOf = (words: RegExp[]): RegExp =>
  new RegExp(words.map(({ source }) => source).join('|'), 'i')

const rows: Row[] = [
  // Exchange Online's directory knows no such recipient, and calls it denied access.
  { is: 'hard', codes: ['4.1'], says: /recipient address rejected: access denied/i },
  // Yandex and others say it with a code of policy, as Gmail did, and with no other word before.
  {
    ...{ is: 'hard', codes: ['7.1'] },
    says: /^(55[03][ -])?(5\.7\.1 )?(no such user|sorry, badrcptto ?\(user mail-?box not found)\b/i,
  },
  // Domino lists users, not senders.
  {
    is: 'hard',
    says: /not listed in (the )?(domino|public name|address)|ディレクトリ(には見つかりません|のリストにありません)/i,
  },
  // Orange speaks of the recipient's account, not of us.
  { is: 'soft', says: /recipient account is ?blocked|compte du destinataire est bloqu/i },
  ...noticeReasons.map(({ is, says }) => ({ is, replies: wordy, says })),
  { is: 'policy', codes: ['7.x'] },
  { is: 'policy', says: anyOf(policy) },
  { is: 'soft', codes: ['2.2'] },
  // NTT Docomo's answer to the mail itself: a filter of the recipient's refused it (its answer to
  // RCPT is an unknown user).
  { is: 'soft', codes: ['2.0'], says: /^550 unknown user/i },
  { is: 'soft', says: /^550 unknown user.{0,100}in reply to end of data/i },
  { is: 'soft', says: anyOf(full) },
  { is: 'soft', codes: [...absent, '4.4'], says: passing },
  { is: 'policy', codes: absent, says: rates },
  // RFC 7504 4, RFC 7505 4.2: the domain takes no mail at all.
  { is: 'hard', replies: [556] },
  { is: 'other', codes: ['1.7', '1.8', '6.x'] },
  { is: 'other', says: anyOf(ours) },
  { is: 'other', says: faults },
  { is: 'hard', codes: absent, says: ofRecipient },
  // Amazon SES and Exchange: no route to a domain, for good.
  { is: 'hard', codes: ['4.4'] },
  { is: 'soft', replies: wordy, says: passing },
  { is: 'hard', replies: wordy, says: anyOf([...unknown, ...deadDomain]) },
  { is: 'soft', says: anyOf(asleep) },
  // Message too long for this mailbox, for this system; features, conversions, loops: another
  // message might pass.
  { is: 'other', codes: ['2.3', '2.4', '3.3', '3.4', '3.5', '3.6', '4.6', '5.x'] },
  { is: 'soft', codes: ['2.0', '2.1', '2.x', '3.1', '3.2', '4.x'] },
  { is: 'soft', says: anyOf(tired) },
]

/**
 * au of KDDI says so where a filter of the recipient's refused the mail. Of an unknown user it
 * names the address before the colon.
 */
const refusesByFilter = /\b550:? : user unknown/i

/**
 * The search for words reads so many characters: some patterns take the square of a text's length.
 * A stored reply has 1,000.
 */
const textMax = 2_000

/**
 * The class of a refusal. A temporary refusal (4xx) is never `hard`; without other evidence it is
 * `soft`.
 */
export function classifyBounce({ code, enhanced, text }: BounceRefusal): BounceClass {
  // qmail and its kin write the enhanced code at the end, as (#5.1.1).
  const status = enhanced ?? /#([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? null
  // Where the two disagree (RFC 2034 4), the milder one holds.
  const isForNow = (code !== null && code < 500) || status?.startsWith('4.') === true
  const [, ...detail] = status?.split('.') ?? []
  // The rest around an address that was taken out, and names such as BAD_RECIPIENT, are plain
  // words.
  const words = withoutAddresses(text.slice(0, textMax)).replaceAll(
    /(?<=[A-Z])_(?=[A-Z])|\s+/g,
    ' ',
  )
  const row = rows.find(
    ({ codes, replies, says }) =>
      (!codes || codes.includes(detail.join('.')) || codes.includes(`${detail[0]}.x`)) &&
      (!replies || (code === null ? says !== undefined : replies.includes(code))) &&
      (!says || says.test(words)),
  )
  const is = refusesByFilter.test(text) ? 'soft' : (row?.is ?? 'other')
  return isForNow && (is === 'hard' || (is === 'other' && !row)) ? 'soft' : is
}

/**
 * The class of a bounce that is text, such as a DSN's Diagnostic-Code (RFC 3464 2.3.6) beside its
 * Status, or a stored response. `code`: an enhanced status code or a reply code, where the source
 * has one.
 */
export function bounceClassOf(code: string | null, detail: string): BounceClass {
  return classifyBounce({ ...codesOf(code, detail), text: detail })
}

/**
 * The codes of a refusal: those at the beginning of its text, or else the codes given beside it.
 */
export function codesOf(
  reported: string | null,
  detail: string,
): { code: number | null; enhanced: string | null } {
  const [, reply, written] =
    /(?:^|[\s;:])([45]\d\d)(?:[- ]#?([45]\.\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/.exec(detail) ?? []
  const alone = /(?:^|[\s#(])([45]\.\d{1,3}\.\d{1,3})(?=[\s):;,]|$)/.exec(detail)?.[1]
  const enhanced = [written, alone, reported].find(
    (entry) => entry && /^[245]\.\d+\.\d+$/.test(entry) && !/^[25]\.0\.0$/.test(entry),
  )
  const code = reply ?? (reported && /^[45]\d\d$/.test(reported) ? reported : null)
  return { code: code === null ? null : Number(code), enhanced: enhanced ?? null }
}

/**
 * The code of a refusal: the enhanced one where it has one, else the reply's; null where it has
 * none.
 */
export function bounceCode(detail: string): string | null {
  const { code, enhanced } = codesOf(null, detail)
  return enhanced ?? (code === null ? null : String(code))
}

/**
 * The recipient's own address is often echoed and may hold any word: `<spam@example.com>: user
 * unknown`. A local part begins where nothing of it can stand before, so that each character is
 * read once. Earthlink writes `nobody@example.com...User unknown`.
 */
export function withoutAddresses(text: string): string {
  return text.replace(
    /<[^<>@\s]*@[^<>]*>|("[^"]*"|(?<![^\s(<>])[^\s(<>]+)@(?:(?!\.\.)[^\s:;,)>])+/g,
    ' ',
  )
}
