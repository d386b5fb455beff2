/**
 * Lists the sentences by which mail servers say, in a notice for readers, that a mail was not delivered, and why. A notice for programs
 * (RFC 3464) needs none of them. Each row names the server that writes it and a page about it. A sentence counts in a notice of a mail
 * system only (text-bounce.ts): a contact may write the same words.
 */
import type { BounceClass } from '../../contract/emails.ts'

export interface NoticeSentence {
  /** The server that writes it. */
  server: string
  /** A page that documents it, or a reader of notices that knows it. */
  source: string
  /** In one line of the notice. Linear: no quantifier stands in, or next to, another. */
  says: RegExp
}

/** A sentence with the class of its reason. Where servers quote a reply, the reply decides (classify-bounce.ts). */
export type NoticeReason = NoticeSentence & { is: BounceClass }

const sisimai = (module: string): string => `https://github.com/sisimai/p5-sisimai/blob/5-stable/lib/Sisimai/Lhost/${module}.pm`
const flufl = (module: string): string =>
  `https://gitlab.com/warsaw/flufl.bounce/-/blob/main/src/flufl/bounce/_detectors/${module}.py`
const exchange =
  'https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online/non-delivery-reports-in-exchange-online'
const gmail = 'https://support.google.com/mail/answer/6596'

/** In the subject, decoded. */
export const noticeSubjects: NoticeSentence[] = [
  { server: 'Postfix, Exchange', source: sisimai('Postfix'), says: /undeliver/i },
  { server: 'sendmail', source: sisimai('Sendmail'), says: /returned mail/i },
  { server: 'Exim', source: sisimai('Exim'), says: /mail delivery failed/i },
  { server: 'qmail', source: sisimai('qmail'), says: /failure notice|failure delivery/i },
  { server: 'Gmail, Courier', source: sisimai('Gmail'), says: /delivery (?:status|failure|notification)/i },
  { server: 'Oracle', source: sisimai('MessagingServer'), says: /delivery has failed/i },
  { server: 'X.400 gateways', source: flufl('microsoft'), says: /mail not delivered/i },
  { server: 'AOL', source: flufl('aol'), says: /mail delivery problem/i },
  { server: 'InterScan', source: sisimai('TrendMicro'), says: /mail could not be delivered/i },
  { server: 'sendmail, Postfix', source: sisimai('Sendmail'), says: /delayed|could not send message/i },
  { server: 'Exchange, in French', source: exchange, says: /^non remis/i },
  { server: 'Exchange, in German', source: exchange, says: /unzustellbar/i },
  { server: 'Exchange, in Spanish', source: exchange, says: /^no se puede entregar/i },
  { server: 'Exchange, in Portuguese', source: exchange, says: /^não é possível entregar/i },
  { server: 'Exchange, in Italian', source: exchange, says: /^non recapitabile/i },
  { server: 'Exchange, in Dutch', source: exchange, says: /^niet te bezorgen/i },
  { server: 'Exchange, in Japanese', source: exchange, says: /^配信不能/ },
]

/** In a line of the text. */
export const introductions: NoticeSentence[] = [
  { server: 'qmail', source: sisimai('qmail'), says: /^Hi\. This is the \S{1,200} (?:program|mail|system)/i },
  { server: 'qmail', source: sisimai('qmail'), says: /I(?:'m afraid I| )wasn't able to deliver your message/i },
  { server: 'Exim', source: sisimai('Exim'), says: /This message was created automatically by mail delivery software/i },
  {
    server: 'Postfix, sendmail',
    source: sisimai('Postfix'),
    says: /This is the (?:mail|Postfix|sendmail) (?:system|program|delivery)/i,
  },
  {
    server: 'sendmail, Exim',
    source: sisimai('Sendmail'),
    says: /The following (?:address(?:\(es\)|es)?|recipients?) (?:failed|had (?:permanent|transient) )/i,
  },
  {
    server: 'Exchange, Oracle',
    source: sisimai('MessagingServer'),
    says: /Your message (?:could not be|was not|has not been|cannot be) delivered/i,
  },
  { server: 'Exchange 5.5', source: sisimai('Exchange2003'), says: /did not reach the following recipient/i },
  { server: 'IIS', source: flufl('microsoft'), says: /Delivery to the following recipients? (?:failed|has been delayed)/i },
  { server: 'X.400 gateways', source: flufl('simplematch'), says: /no valid recipients were found for this message/i },
  { server: 'Exchange, in French', source: exchange, says: /n'a pas pu (?:ê|e)tre remis|n'a pas (?:é|e)t(?:é|e) remis/i },
  { server: 'Exchange, in German', source: exchange, says: /konnten? nicht zugestellt werden/i },
  { server: 'Exchange, in Spanish', source: exchange, says: /no se (?:ha podido|pudo|puede) entregar|no se ha entregado/i },
  { server: 'Exchange, in Portuguese', source: exchange, says: /não (?:pôde ser|foi) entregue|falha na entrega/i },
  { server: 'Exchange, in Italian', source: exchange, says: /non è stato recapitato|impossibile recapitare/i },
  { server: 'Exchange, in Dutch', source: exchange, says: /niet (?:worden )?(?:bezorgd|afgeleverd)/i },
  { server: 'Exchange, in Japanese', source: exchange, says: /配信(?:できません|されませんでした)/ },
]

/** Sentences that only a server writes: they need no sender that is known as a mail system. */
export const signedIntroductions: NoticeSentence[] = [
  { server: 'KDDI', source: sisimai('KDDI'), says: /^\s{0,20}As their mailbox is full\.$/ },
  { server: 'Verizon, Apache James', source: sisimai('Verizon'), says: /^Error: Invalid user address$/ },
]

/** In a line of the text, where it quotes no reply. */
export const noticeReasons: NoticeReason[] = [
  {
    ...{ server: 'Gmail', source: gmail, is: 'hard' },
    says: /because the address couldn.t be found, or is unable to receive mail/i,
  },
  { server: 'Gmail', source: gmail, is: 'soft', says: /inbox is full, or it.s getting too much mail/i },
  { server: 'Exchange 5.5', source: sisimai('Exchange2003'), is: 'hard', says: /The recipient name is not recognized/i },
  { server: 'IMail', source: sisimai('IMailServer'), is: 'hard', says: /Invalid final delivery userid/i },
  { server: 'Exim', source: sisimai('Exim'), is: 'hard', says: /an MX or SRV record indicated no SMTP service/i },
  {
    server: 'vpopmail',
    source: sisimai('qmail'),
    is: 'soft',
    says: /could not be delivered because the user.s mailfolder is full/i,
  },
  { server: 'KDDI', source: sisimai('KDDI'), is: 'soft', says: /As their mailbox is full/i },
]

/** Where the mail that is returned begins, or its header. */
export const returnedMailBegins =
  /^[-\s|>]{0,40}(?:below this line is|below is a copy|this is a copy|original message|(?:message|original) headers?\b|(?:the )?(?:header|body) of the|(?:original )?message (?:text )?follows|unsent message follows|returned (?:message|mail)\b.{0,20}-|forwarded message)/i
