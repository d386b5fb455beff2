/**
 * Lists the sentences by which mail servers say, in a notice for readers, that a mail was not
 * delivered, and why. A notice for programs (RFC 3464) needs none of them. Each row names the
 * server that writes it and a page about it. A sentence counts in a notice of a mail system only
 * (text-bounce.ts): a contact may write the same words.
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

/**
 * A sentence with the class of its reason. Where servers quote a reply, the reply decides
 * (classify-bounce.ts).
 */
export type NoticeReason = NoticeSentence & { is: BounceClass }

const github = (path: string): string => `https://github.com/${path}`
const sisimai = (module: string, commit = '21cfb9321ba94f9bc72f2b5a46e2dda70c1d9c45'): string =>
  github(`sisimai/p5-sisimai/blob/${commit}/lib/Sisimai/${module}.pm`)
const gmail = 'https://support.google.com/mail/answer/6596'
const outlookInJapanese = 'https://support.microsoft.com/ja-jp/kb/940620'

/** In the subject, decoded. */
export const noticeSubjects: NoticeSentence[] = [
  { server: 'Postfix, Exchange', source: sisimai('Lhost/Postfix'), says: /undeliver/i },
  { server: 'sendmail', source: sisimai('Lhost/V5sendmail'), says: /returned mail/i },
  { server: 'Exim', source: sisimai('Lhost/Exim'), says: /mail delivery failed/i },
  { server: 'qmail', source: sisimai('Lhost/qmail'), says: /failure notice|failure delivery/i },
  {
    server: 'Gmail, Courier',
    source: sisimai('Lhost/Gmail'),
    says: /delivery (?:status|failure|notification)/i,
  },
  {
    server: 'MailFoundry, Oracle',
    source: sisimai('Lhost/MailFoundry'),
    says: /delivery has failed/i,
  },
  {
    server: 'qmail of United Online; caiwireless.net',
    source: 'https://gitlab.com/flufl/flufl.bounce/-/tree/main/tests/data',
    says: /mail not delivered/i,
  },
  {
    server: 'AOL',
    source: github('rjbs/Mail-DeliveryStatus-BounceParser/blob/main/t/corpus/aol-senderblock.msg'),
    says: /mail delivery problem/i,
  },
  {
    server: 'InterScan',
    source: sisimai('Lhost/InterScanMSS'),
    says: /mail could not be delivered/i,
  },
  {
    server: 'Courier, sendmail, Postfix',
    source: sisimai('Lhost/Courier'),
    says: /delayed|could not send message/i,
  },
  { server: 'Exchange, in French', source: sisimai('Lhost/Exchange2007'), says: /^non remis/i },
  {
    server: 'Exchange, in German',
    source: github('hitobito/hitobito/issues/2762'),
    says: /^unzustellbar:/i,
  },
  {
    server: 'Exchange, in Spanish',
    source: github(
      'forwardemail/forwardemail.net/blob/9efc3b8cdd7c838795e5b4d63281c2d8bc15a00c/helpers/is-arbitrary.js',
    ),
    says: /^no se puede entregar:/i,
  },
  {
    server: 'Exchange, in Portuguese',
    source: sisimai('Lhost/Office365'),
    says: /^não (?:é possível entregar|entregues?):/i,
  },
  {
    server: 'Exchange, in Italian',
    source: sisimai('Lhost/Exchange2007'),
    says: /^non recapitabile/i,
  },
  { server: 'Exchange, in Dutch', source: sisimai('Lhost/Office365'), says: /^onbestelbaar:/i },
  { server: 'Outlook and Exchange, in Japanese', source: outlookInJapanese, says: /^配信不能/ },
]

/** In a line of the text. */
export const introductions: NoticeSentence[] = [
  {
    server: 'qmail, Haraka',
    source: github('haraka/Haraka/issues/848'),
    says: /I(?:'m afraid I| )wasn't able to deliver your message/i,
  },
  {
    server: 'Exim',
    source: sisimai('Lhost/Exim'),
    says: /This message was created automatically by mail delivery software/i,
  },
  {
    server: 'Postfix, sendmail',
    source: sisimai('Lhost/Postfix'),
    says: /This is the (?:mail|Postfix|sendmail) (?:system|program|delivery)/i,
  },
  {
    server: 'sendmail, Exim',
    source: sisimai('Lhost/Exim'),
    says: /The following (?:address(?:\(es\)|es)?|recipients?) (?:failed|had (?:permanent|transient) )/i,
  },
  {
    server: 'Exchange, Oracle',
    source: sisimai('Lhost/MessagingServer'),
    says: /Your message (?:could not be|was not|has not been|cannot be) delivered/i,
  },
  {
    server: 'Exchange 5.5',
    source: sisimai('Lhost/Exchange2003'),
    says: /did not reach the following recipient/i,
  },
  {
    server: 'IIS, Gmail',
    source: sisimai('Lhost/Gmail'),
    says: /Delivery to the following recipients? (?:failed|has been delayed)/i,
  },
  {
    server: 'Smail 3, KMail',
    source: sisimai('RFC3464/ThirdParty', 'd5dc04819290ed5a5eb50dc8f075da790f8df160'),
    says: /no valid recipients were found for this message/i,
  },
  {
    server: 'Apache James, Verizon',
    source: sisimai('Lhost/ApacheJames'),
    says: /^Error message below:$/,
  },
  {
    server: 'Exchange, in French',
    source: github('ForumPostAssistant/FPA/issues/136'),
    says: /^échec de la remise pour ces destinataires|n'a pas pu (?:ê|e)tre remis/i,
  },
  {
    server: 'Exchange, in German',
    source: github('fschulze/jumpnbump/issues/3'),
    says: /^fehler bei der nachrichtenzustellung|konnte nicht zugestellt werden/i,
  },
  {
    server: 'Exchange, in Spanish',
    source: 'https://blog.silverpc.hu/?p=313815',
    says: /(?:no se pudo entregar|se retrasó la entrega) a estos destinatarios o grupos/i,
  },
  {
    server: 'Exchange, in Portuguese',
    source: sisimai('Lhost/Office365'),
    says: /^falha na entrega (?:a estes|aos seguintes) destinat/i,
  },
  {
    server: 'Exchange, in Dutch',
    source: sisimai('Lhost/Office365'),
    says: /^uw bericht kan niet worden bezorgd bij de volgende geadres/i,
  },
  {
    server: 'Outlook, and Postfix of OCN, in Japanese',
    source: outlookInJapanese,
    says: /配信できません/,
  },
]

/** Sentences that only a server writes: they need no sender that is known as a mail system. */
export const signedIntroductions: NoticeSentence[] = [
  {
    server: 'qmail, Haraka',
    source: github('haraka/Haraka/issues/848'),
    says: /^Hi\. This is the \S{1,200} (?:program|mail|system)/i,
  },
  { server: 'KDDI', source: sisimai('Lhost/KDDI'), says: /^\s{0,20}As their mailbox is full\.$/ },
]

/** In a line of the text, where it quotes no reply. */
export const noticeReasons: NoticeReason[] = [
  {
    ...{ server: 'Gmail', source: gmail, is: 'hard' },
    says: /because the address couldn.t be found, or is unable to receive mail/i,
  },
  {
    ...{ server: 'Gmail', source: sisimai('Lhost/GSuite'), is: 'hard' },
    // Not of a host that its MX record names.
    says: /DNS type 'mx' lookup of \S{1,255} responded with code NXDOMAIN/i,
  },
  {
    server: 'Gmail',
    source: gmail,
    is: 'soft',
    says: /inbox is full, or it.s getting too much mail/i,
  },
  {
    server: 'Exchange 5.5',
    source: sisimai('Lhost/Exchange2003'),
    is: 'hard',
    says: /The recipient name is not recognized/i,
  },
  {
    server: 'IMail',
    source: sisimai('Lhost/IMailServer'),
    is: 'hard',
    says: /Invalid final delivery userid/i,
  },
  {
    server: 'Exim',
    source: sisimai('Lhost/Exim'),
    is: 'hard',
    says: /an MX or SRV record indicated no SMTP service/i,
  },
  {
    server: 'vpopmail',
    source: sisimai('Reason/MailboxFull'),
    is: 'soft',
    says: /could not be delivered because the user.s mailfolder is full/i,
  },
  { server: 'KDDI', source: sisimai('Lhost/KDDI'), is: 'soft', says: /As their mailbox is full/i },
  // It gives up on a name server that does not answer in other words.
  {
    server: 'DragonFly',
    source: github('corecode/dma/blob/da0271b70d4bd6afea1e2e2707eb7de92ca5ec12/net.c'),
    is: 'hard',
    says: /^DNS lookup failure: host \S{1,255} not found/,
  },
  {
    server: 'mail.local, Postfix',
    source: sisimai('MDA'),
    is: 'hard',
    says: /^(?:mail\.local|<[^\s<>]{1,320}>): unknown user: /,
  },
]

/** Where the mail that is returned begins, or its header. */
export const returnedMailBegins =
  /^[-\s|>]{0,40}(?:below this line is|below is a copy|this is a copy|original message|(?:message|original) headers?\b|(?:the )?(?:header|body) of the|(?:original )?message (?:text )?follows|unsent message follows|returned (?:message|mail)\b.{0,20}-|forwarded message)/i
