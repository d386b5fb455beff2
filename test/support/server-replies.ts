/**
 * The refusals of real servers by provider, each with its class. Reserved names and addresses stand
 * in for the real ones.
 */
import type { BounceClass } from '../../src/contract/emails.ts'

type ClassifiedReply = [is: BounceClass, text: string]

const gmail: ClassifiedReply[] = [
  [
    'hard',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos or 550-5.1.1 unnecessary spaces. For more information, go to 550 5.1.1 https://support.google.com/mail/?p=NoSuchUser - gsmtp",
  ],
  [
    'soft',
    '550 5.2.1 The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser - gsmtp',
  ],
  [
    'soft',
    '550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser',
  ],
  [
    'soft',
    "452 4.2.2 The recipient's inbox is out of storage space. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp",
  ],
  [
    'soft',
    "552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm",
  ],
  ['soft', '552 5.2.2 The email account that you tried to reach is over quota.'],
  [
    'soft',
    '450 4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time. If the user is able to receive mail at that time, your message will be delivered.',
  ],
  [
    'soft',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. https://support.google.com/mail/?p=ReceivingRatePerm',
  ],
  ['soft', '421 4.3.0 Temporary System Problem. Try again later (10).'],
  ['soft', '451 4.3.0 Mail server temporarily rejected message.'],
  ['soft', '421 4.4.5 Server busy, try again later.'],
  [
    'policy',
    '421 4.7.0 This message is suspicious due to the very low reputation of the sending domain. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
  ],
  ['policy', '421 4.7.0 Try again later, closing connection.'],
  [
    'policy',
    '421 4.7.28 Gmail has detected an unusual rate of mail originating from your IP address 192.0.2.25.',
  ],
  [
    'policy',
    '550 5.7.1 Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.',
  ],
  [
    'policy',
    '550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
  ],
  [
    'policy',
    "550 5.7.26 Unauthenticated email from example.org is not accepted due to domain's DMARC policy.",
  ],
  [
    'policy',
    '550 5.7.25 The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not point to the sending IP.',
  ],
  [
    'policy',
    '550 5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail that you sent.',
  ],
  [
    'policy',
    '552 5.7.0 This message was blocked because its content presents a potential security issue.',
  ],
  [
    'policy',
    '550 5.7.1 Messages missing a valid address in the From: header, or having no From: header, are not accepted.',
  ],
  ['other', "552 5.3.4 Your message exceeded Google's message size limits."],
  ['other', "552 5.2.3 Your message exceeded Google's message size limits."],
  ['other', '554 5.4.6 Message exceeded 50 hops, this may indicate a mail loop.'],
  ['other', '554 5.6.0 Mail message is malformed. Not accepted.'],
  ['other', '553 5.1.7 The sender address <x@example.org> is not a valid RFC 5321 address.'],
]

const microsoft: ClassifiedReply[] = [
  [
    'hard',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient x@example.com not found by SMTP address lookup',
  ],
  ['hard', '550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found'],
  [
    'hard',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT031.eop-EUR01.prod.protection.outlook.com]',
  ],
  ['hard', '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable'],
  ['hard', '550 5.4.310 DNS domain example.com does not exist [Message=InfoDomainNonexistent]'],
  ['hard', '554 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain'],
  ['hard', '550 5.1.3 STOREDRV.Submit; invalid recipient address'],
  [
    'soft',
    '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [AM6EUR05FT035.eop-eur05.prod.protection.outlook.com]',
  ],
  ['soft', '550 Requested action not taken: mailbox unavailable'],
  [
    'soft',
    '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded',
  ],
  ['soft', '550 5.2.1 Mailbox cannot be accessed'],
  [
    'soft',
    '554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour',
  ],
  ['soft', '450 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded'],
  ['soft', '452 4.3.1 Insufficient system resources'],
  ['soft', '450 4.4.316 Connection refused [Message=Socket error code 10061]'],
  ['soft', '550 5.4.316 Message expired, connection refused(Socket error code 10061)'],
  ['soft', '550 5.4.300 Message expired -> 421 4.4.2 Connection dropped'],
  ['soft', '550 4.4.7 QUEUE.Expired; message expired'],
  [
    'policy',
    '550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.1 (AS16012611)',
  ],
  [
    'policy',
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
  ],
  [
    'policy',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/ and follow the directions.',
  ],
  [
    'policy',
    '550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message to delist@messaging.microsoft.com.',
  ],
  [
    'policy',
    '550 5.7.509 Access denied, sending domain example.org does not pass DMARC verification and has a DMARC policy of reject.',
  ],
  [
    'policy',
    '550 5.7.515 Access denied, sending domain example.org does not meet the required authentication level.',
  ],
  [
    'policy',
    '550 5.7.23 The message was rejected because of Sender Policy Framework violation -> 550 5.7.1 SPF',
  ],
  [
    'policy',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group',
  ],
  ['policy', '550 5.7.64 TenantAttribution; Relay Access Denied'],
  [
    'policy',
    '451 4.7.650 The mail server [192.0.2.5] has been temporarily rate limited due to IP reputation.',
  ],
  ['policy', '451 4.7.500 Server busy. Please try again later from [192.0.2.2]. (AS761)'],
  [
    'policy',
    '550 SC-001 (COL004-MC1F1) Mail rejected by Outlook.com for policy reasons. Reasons for rejection may be related to content with spam-like characteristics or IP/domain reputation.',
  ],
  [
    'policy',
    '550 DY-001 Mail rejected for policy reasons. We generally do not accept email from dynamic IPs',
  ],
  ['hard', '554 5.4.1 Recipient address rejected: Access denied'],
  ['other', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient'],
  ['other', '554 5.4.14 Hop count exceeded - possible mail loop ATTR34'],
  ['other', '550 5.1.0 Sender denied'],
  ['other', '550 5.6.11 SMTPSEND.BareLinefeedsAreIllegal; message contains bare linefeeds'],
]

const yahoo: ClassifiedReply[] = [
  [
    'hard',
    "554 delivery error: dd This user doesn't have a yahoo.com account (nobody@example.com) [0] - mta4016.biz.mail.bf1.example.com",
  ],
  [
    'hard',
    '552 1 Requested mail action aborted, mailbox not found (in reply to end of DATA command)',
  ],
  [
    'soft',
    '554 30 Sorry, your message to nobody@example.com cannot be delivered. This mailbox is disabled (554.30).',
  ],
  [
    'soft',
    '554 delivery error: dd Sorry your message to nobody@example.com cannot be delivered. This account has been disabled or discontinued [#102].',
  ],
  ['soft', '554 delivery error: dd nobody@example.com is no longer valid. [-20]'],
  ['soft', '450 User is receiving mail too quickly'],
  ['soft', '421 Max message per connection reached, closing transmission channel'],
  [
    'policy',
    '421 4.7.0 [TSS04] Messages from 192.0.2.25 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
  ],
  [
    'policy',
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.25, because the ip is in Spamhaus's list",
  ],
  [
    'policy',
    '553 5.7.2 [TSS09] All messages from 192.0.2.25 will be permanently deferred; Retrying will NOT succeed.',
  ],
  [
    'policy',
    '554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes',
  ],
  [
    'policy',
    '550 5.7.9 This mail has been blocked because the sender is unauthenticated. Yahoo requires all senders to authenticate with either SPF or DKIM.',
  ],
  ['policy', '550 relaying denied for <nobody@example.com>'],
]

const apple: ClassifiedReply[] = [
  ['hard', '550 5.1.1 <nobody@example.com>: inactive email address (in reply to RCPT TO command)'],
  ['hard', '550 5.1.1 unknown or illegal alias: nobody@example.com'],
  ['hard', '550 5.1.1 <nobody@example.com>: user does not exist'],
  ['hard', '550 5.1.6 recipient no longer on server: nobody@example.com'],
  ['hard', '556 5.1.10 Host/domain does not accept mail'],
  ['soft', '552 5.2.2 <nobody@example.com>: user is over quota (in reply to RCPT TO command)'],
  [
    'policy',
    '550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
  ],
  [
    'policy',
    '421 4.7.1 Messages to nobody@example.com deferred due to excessive volume. Try again later',
  ],
  [
    'policy',
    '550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.1.2',
  ],
  ['policy', "554 5.7.1 Your message was rejected due to example.org's DMARC policy."],
  [
    'policy',
    '554 5.7.1 [HME1] This message was blocked for failing both SPF and DKIM authentication checks.',
  ],
  ['other', '450 4.1.8 <x@example.org>: Sender address rejected: Domain not found'],
]

const french: ClassifiedReply[] = [
  [
    'hard',
    '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
  ],
  ['hard', '550 Adresse d au moins un destinataire invalide. Invalid recipient. LPN007_418'],
  ['hard', '550 Utilisateur inconnu'],
  [
    'hard',
    '550 5.1.1 <nobody@example.fr>: Recipient address rejected: User unknown in relay recipient table',
  ],
  ['soft', '552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]'],
  [
    'soft',
    '550 5.5.0 Le compte du destinataire est bloque. The recipient account isblocked. OFR_426 [426]',
  ],
  ['soft', '550 Boite du destinataire archivee. Archived recipient. OFR_420'],
  [
    'soft',
    '421 4.2.0 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR005_505 [505]',
  ],
  [
    'policy',
    '550 5.7.1 Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102',
  ],
  ['policy', '421 Too many connections, slow down. OFR004_104 [104]'],
  ['policy', '550 5.5.0 SPF: 192.0.2.1 is not allowed to send mail. LPN004_401'],
  ['policy', '550 5.5.0 Authentification requise. Authentication Required. LPN105_402'],
  ['policy', '501 5.0.2 Mail rejected. DMARC check failed. OFR_109'],
  ['other', '550 5.0.1 Emetteur invalide. Invalid Sender. OFR_415'],
  ['other', '550 Mail rejete. Mail rejected. ofr_506 [506]'],
]

const german: ClassifiedReply[] = [
  ['hard', '550 5.1.1 user unknown'],
  ['hard', '550 5.1.1 <nobody@example.com>... User is unknown'],
  ['hard', '550 Benutzer nicht bekannt/User unknown'],
  ['hard', '550 Unknown local part nobody in <nobody@example.com>'],
  ['hard', '550 unrouteable address'],
  ['hard', '550 Requested action not taken: mailbox not found'],
  ['soft', '550 5.2.1 <nobody@example.com>... User is inactive'],
  [
    'soft',
    '550 Requested action not taken: mailbox unavailable For explanation visit https://postmaster.gmx.net/en/error-messages',
  ],
  [
    'soft',
    '550 Benutzer hat das Speichervolumen ueberschritten. / User has exhausted allowed storage space.',
  ],
  [
    'soft',
    '550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server.',
  ],
  ['soft', '552 5.2.2 Over STORAGE quota'],
  [
    'soft',
    '552 Requested mail action aborted: exceeded storage allocation Quota exceeded. The recipient mailbox is full.',
  ],
  ['policy', '554 Nemesis ESMTP Service not available No SMTP service IP address is black listed.'],
  [
    'policy',
    '550 Requested action not taken: mailbox unavailable Reject due to policy restrictions.',
  ],
  ['policy', '550 5.7.1 A message from you has been rejected due to spam or virus classification'],
]

const russian: ClassifiedReply[] = [
  [
    'hard',
    '550 Message was not accepted -- invalid mailbox. Local mailbox nobody@example.com is unavailable: user not found',
  ],
  ['hard', '550 5.7.1 No such user!'],
  ['hard', '550 No such user: nobody@example.com'],
  [
    'soft',
    '550 Message was not accepted -- Local mailbox nobody@example.com is unavailable: account is disabled',
  ],
  ['soft', '552 5.2.2 Mailbox size limit exceeded'],
  [
    'policy',
    '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc or report details to abuse@corp.mail.ru.',
  ],
  [
    'policy',
    '554 5.7.1 [1] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc 1234567890-abc',
  ],
  ['policy', '451 4.7.1 Sorry, the service is currently unavailable. Please come back later.'],
]

const filters: ClassifiedReply[] = [
  // Mimecast
  [
    'hard',
    '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
  ],
  [
    'policy',
    '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
  ],
  [
    'policy',
    '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
  ],
  [
    'policy',
    '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554',
  ],
  [
    'soft',
    '451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
  ],
  [
    'soft',
    '451 Account service is temporarily unavailable. - https://community.mimecast.com/docs/DOC-1369#451',
  ],
  // Barracuda
  ['hard', '550 No such user (nobody@example.com)'],
  ['hard', '550 cuda_nsu 5.1.1 <nobody@example.com> Recipient address rejected: User unknown'],
  ['policy', '550 permanent failure for one or more recipients (nobody@example.com:blocked)'],
  // Proofpoint
  ['hard', '550 5.1.1 User Unknown'],
  ['policy', '554 5.7.1 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1'],
  ['policy', '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1'],
  ['policy', '550 5.7.0 Local Policy Violation'],
  // Symantec Email Security.cloud
  ['hard', '550-Invalid recipient <nobody@example.com> 550 (#5.1.1)'],
  ['policy', '553 mail rejected because your IP is in the PBL. See http://www.spamhaus.org/pbl'],
  [
    'policy',
    '501 Connection rejected by policy [7.7] 20805, please visit www.messagelabs.com/support',
  ],
  ['policy', '553 sorry, your domain has been blocked'],
  ['policy', '553 sorry, your envelope sender is in my badmailfrom list. (#5.7.1)'],
  ['other', '553 Stray linefeeds in message (#5.6.2)'],
  // Cisco IronPort
  ['policy', '550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.'],
  [
    'policy',
    "554-mx.example.com Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
  ],
  ['other', '550 #5.1.0 Address rejected.'],
  // GoDaddy
  ['hard', '550 Recipient not found'],
  [
    'policy',
    '554 Connection refused. This IP has a poor reputation on Cloudmark Sender Intelligence (CSI). IB103',
  ],
  ['policy', '550 This IP has sent too many messages this hour. IB504'],
  [
    'policy',
    '552 This message has been rejected due to content judged to be spam by the internet community. IB212',
  ],
  [
    'soft',
    '452 This message contains too many recipients. Reduce the number of recipients and retry. IB605',
  ],
  // Zoho
  ['hard', '550 5.1.1 User does not exist - <nobody@example.com>'],
  ['policy', '451 4.7.1 Greylisted, try again after some time'],
  ['policy', '554 5.7.7 Email policy violation detected'],
  ['policy', '552 5.7.1 virus Eicar detected by Zoho Mail'],
  // Comcast, AT&T, Tencent, NetEase, Fastmail, ProtonMail, Domino
  ['hard', '550 5.1.1 Not our Customer'],
  [
    'policy',
    '554 resimta-po-11v.sys.comcast.net 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000010',
  ],
  [
    'policy',
    '553 5.3.0 flph825 DNSBL:ATTRBL 521< 192.0.2.1 >_is_blocked. For assistance forward this email to abuse_rbl@abuse-att.net',
  ],
  [
    'hard',
    '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728',
  ],
  [
    'policy',
    '550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000726',
  ],
  ['hard', '550 User not found: nobody@example.com'],
  ['hard', '550 RC:NE The email account does not exist.'],
  ['soft', '550 User suspended, http://mail.163.com/help/help_spam_16.htm'],
  ['hard', '550 5.1.1 <nobody@example.com>: Recipient address rejected: Address does not exist'],
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown in local recipient table',
  ],
  ['hard', 'User nobody@example.com not listed in Domino Directory'],
  ['hard', '550 5.2.1 <nobody@example.com>... Addressee unknown, relay=[192.0.2.1]'],
  // Rackspace
  ['policy', '450 4.7.1 Client host 192.0.2.1 has no PTR record (G1F)'],
  [
    'soft',
    "450 4.4.1 <nobody@example.com>: The recipient's server was temporarily unavailable to accept your message (G6)",
  ],
  [
    'soft',
    '450 4.2.1 <nobody@example.com>: Mailbox received too much email in a short period of time (G30)',
  ],
  ['policy', '451 4.7.1 Received too many messages from a new or untrusted IP (G28)'],
  // OVH
  ['other', '500 Domain not in ovh system (in reply to RCPT TO command)'],
]

const servers: ClassifiedReply[] = [
  // Postfix
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
  ],
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: undeliverable address: unknown user: "nobody"',
  ],
  ['hard', '550 5.1.2 <nobody@nowhere.example>: Recipient address rejected: Domain not found'],
  [
    'hard',
    'Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found',
  ],
  ['soft', '450 4.2.0 <nobody@example.com>: user is overquota'],
  ['soft', '452 4.3.1 Insufficient system storage'],
  ['soft', '451 4.3.0 Queue file write error'],
  ['soft', '4.4.1 connect to mx.example.com[192.0.2.1]:25: Connection timed out'],
  ['soft', '4.4.1 connect to mx.example.com[192.0.2.1]:25: Connection refused'],
  [
    'soft',
    '4.4.2 lost connection with mx.example.com[192.0.2.1] while receiving the initial server greeting',
  ],
  [
    'policy',
    '450 4.2.0 <nobody@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.com.html',
  ],
  [
    'policy',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
  ],
  ['policy', '554 5.7.1 <nobody@example.com>: Relay access denied'],
  ['policy', '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]'],
  ['other', '552 5.3.4 Message size exceeds fixed limit'],
  ['other', '5.4.6 mail for example.com loops back to myself'],
  // Exim
  ['hard', '550 Unrouteable address'],
  ['hard', '550 No Such User Here'],
  ['hard', '550 unknown user'],
  ['soft', '552 mailbox is full'],
  ['soft', '451 Temporary local problem - please try later'],
  ['soft', 'retry timeout exceeded'],
  ['policy', '550 relay not permitted'],
  ['policy', '550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)'],
  [
    'policy',
    '550 "JunkMail rejected - mail.example.org [192.0.2.1]:39153 is in an RBL, see Poor Reputation Sender"',
  ],
  ['other', '550 Sender verify failed'],
  [
    'other',
    '550 Verification failed for <x@example.org>: Unrouteable address Sender verify failed',
  ],
  // qmail
  ['hard', '554 Sorry, no mailbox here by that name. (#5.1.1)'],
  ['hard', "Sorry, I couldn't find any host named nowhere.example. (#5.1.2)"],
  ['hard', '550 sorry, no mailbox here by that name (#5.1.1 - chkuser)'],
  ['hard', '553 sorry, this recipient does not exist (#5.1.1)'],
  [
    'soft',
    "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1) I'm not going to try again; this message has been in the queue too long.",
  ],
  ['soft', '552 5.1.1 5.2.2 sorry, final recipient mailbox is full (chkuser)'],
  ['policy', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  ['other', 'This message is looping: it already has my Delivered-To line. (#5.4.6)'],
  // Sendmail
  ['hard', '550 5.1.1 <nobody@example.com>... User unknown'],
  [
    'hard',
    '550 5.1.2 <nobody@nowhere.example>... Host unknown (Name server: nowhere.example: host not found)',
  ],
  ['soft', '451 4.4.1 reply: read error from mx.example.com.'],
  ['policy', '421 4.3.2 Connection rate limit exceeded.'],
  ['policy', '550 5.7.1 <nobody@example.com>... Relaying denied. Proper authentication required.'],
  ['other', '553 5.1.8 <x@example.org>... Domain of sender address x@example.org does not exist'],
  // OpenSMTPD, Courier, MDaemon, hMailServer and others
  ['hard', '550 Invalid recipient: <nobody@example.com>'],
  ['hard', '550 5.1.1 unknown user'],
  ['hard', '550 <nobody@example.com>, Recipient unknown'],
  ['hard', '550 Unknown user'],
  ['hard', '550 Indirizzo inesistente'],
  ['hard', '550 5.1.1 Destinatario sconosciuto'],
  ['hard', '550 No existe ese usuario'],
  ['hard', '550 Nie ma takiego konta'],
  ['soft', '550 Account is not active'],
  ['soft', '550 5.2.1 Mailbox disabled, not accepting messages'],
  ['soft', '554 Quota exceeded (mailbox for user is full)'],
  ['soft', '550 Mailbox is full / Blocks limit exceeded / Inode limit exceeded'],
  ['soft', '552 Mailbox limit exeeded for this email address'],
  ['soft', '550 Account Closed, Please Remove'],
  [
    'policy',
    '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using SPAMHAUS-XBL.',
  ],
  ['policy', '550 Too many invalid recipients'],
  ['policy', '554 5.7.1 You are not allowed to connect'],
  ['other', '554 5.5.1 Error: no valid recipients'],
  ['other', '500 5.5.1 Command unrecognized'],
  ['other', '550 rejected'],
  ['other', '554 Transaction failed'],
]

/**
 * Replies about the sender, in words that others use for a recipient: none may suppress an address.
 */
const ofUs: ClassifiedReply[] = [
  ['other', '550 <mail.example.org>: Helo command rejected: Host not found'],
  ['other', '550 Invalid HELO: domain name not found'],
  ['other', '550 EHLO name does not resolve'],
  ['other', '554 Client host rejected: cannot find your hostname, [192.0.2.25]'],
  ['other', '550 Cannot find your IP address in DNS'],
  ['other', '550 Your domain does not exist'],
  ['other', '550 your host name does not resolve'],
  ['other', '554 Your server address is not known'],
  ['other', '550 Reverse lookup: host not found for 192.0.2.25'],
  [
    'other',
    '550 Requested action not taken: mailbox unavailable, invalid DNS MX or A/AAAA resource record',
  ],
  [
    'other',
    '550-Verification failed for <news@example.org> 550-Unrouteable address 550 Sender verify failed',
  ],
  ['other', '550 Verification failed for <news@example.org> Unrouteable address'],
  ['other', '550-Callback setup failed while verifying <news@example.org> 550 user unknown'],
  ['other', '554 Return address does not exist'],
  ['other', '554 Reply-To address does not exist'],
  ['other', '554 5.6.0 Invalid header: To address invalid'],
  ['other', '554 Message contains invalid address in header'],
  ['other', '554 transaction failed: invalid email body'],
  ['other', '550 URL in message: host not found'],
  ['other', '550 unknown user or bad password'],
  ['other', '554 Your account has been suspended, contact support'],
  ['other', '550 Your relay account is disabled'],
  ['policy', '550 5.4.5 Daily user sending quota exceeded'],
  ['policy', '550 Monthly quota exceeded'],
  ['policy', '451 4.5.3 Outgoing message limit reached'],
  ['policy', '550 Bounced: address does not exist in our whitelist'],
  ['soft', '550 LDAP lookup: user not found due to directory error'],
  ['soft', '554 No such user at the moment, try again later'],
  ['soft', '550 5.1.1 mailbox temporarily unavailable'],
  ['soft', '550 5.1.1 The email account is over its quota'],
]

export const serverReplies = {
  gmail,
  microsoft,
  yahoo,
  apple,
  french,
  german,
  russian,
  filters,
  servers,
  ofUs,
}
