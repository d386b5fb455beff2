/**
 * What servers reply where they name the cause, by the row that describes it. `\n` stands between
 * the lines of one reply. `news.example` stands for the sender's domain, and 192.0.2.25 for its
 * address.
 */

export const refusalReplies: Record<string, string[]> = {
  gmail_unauthenticated: [
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.\n550-5.7.26\n550-5.7.26  Authentication results:\n550-5.7.26  DKIM = did not pass\n550-5.7.26  SPF [news.example] with ip: [192.0.2.25] = did not pass\n550 5.7.26  For instructions on setting up authentication, go to https://support.google.com/mail/answer/81126#authentication - gsmtp',
    '421 4.7.26 This mail has been rate limited because it is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
  ],
  gmail_no_authentication: [
    '550-5.7.26 This message does not have authentication information or fails to\n550-5.7.26 pass authentication checks (SPF or DKIM). To best protect our users from\n550-5.7.26 spam, the message has been blocked. Please visit\n550 5.7.26  https://support.google.com/mail/answer/81126#authentication for more information. - gsmtp',
  ],
  gmail_spf: [
    "421 4.7.27 Your email has been rate limited because SPF authentication didn't pass for this message. Gmail requires all bulk email senders to authenticate their email with SPF. Authentication results: SPF news.example with IP address: 192.0.2.25 = Did not pass.",
    '550 5.7.27 This mail has been blocked because SPF does not pass. Gmail requires all large senders to authenticate with SPF. Authentication results: SPF news.example with IP address: 192.0.2.25 = Did not pass.',
  ],
  gmail_spf_hard_fail: [
    '550 5.7.26 The MAIL FROM domain [news.example] has an SPF record with a hard fail policy (-all) but it fails to pass SPF checks with the ip: [192.0.2.25]. To best protect our users from spam and phishing, the message has been blocked.',
  ],
  gmail_spf_suspicious: [
    '550 5.7.24 The SPF record of the sending domain has one or more suspicious entries. For more information, go to https://support.google.com/mail/answer/81126#authentication',
  ],
  gmail_dkim: [
    "421 4.7.30 Your email has been rate limited because DKIM authentication didn't pass for this message. Gmail requires all bulk email senders to authenticate their email with DKIM. Authentication results: DKIM = Did not pass.",
    '550 5.7.30 This mail has been blocked because DKIM does not pass. Gmail requires all large senders to authenticate with DKIM. Authentication results: DKIM = did not pass.',
  ],
  gmail_dmarc_missing: [
    "421 4.7.40 Your email has been rate limited because the sending domain doesn't have a DMARC record, or the DMARC record doesn't specify a DMARC policy.",
    "550 5.7.40 This mail has been blocked because the DMARC record doesn't specify a DMARC policy.",
  ],
  gmail_alignment: [
    "421 4.7.32 Your email has been rate limited because the From: header (RFC5322) in this message isn't aligned with either the authenticated SPF or DKIM organizational domain.",
    "550 5.7.32 This mail has been blocked because the From: header isn't aligned with either the authenticated SPF or DKIM organizational domain.",
  ],
  gmail_dmarc_policy: [
    "550-5.7.26 Unauthenticated email from news.example is not accepted due to\n550-5.7.26 domain's DMARC policy. Please contact the administrator of news.example\n550 5.7.26 domain if this was a legitimate mail.",
  ],
  gmail_ptr: [
    '550 5.7.25 The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not match the sending IP. As a policy, Gmail does not accept messages from IPs with missing PTR records. [192.0.2.25]',
    '451 4.7.23 The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not match the sending IP.',
  ],
  gmail_ipv6: [
    '550-5.7.1 [2001:db8::25] Our system has detected that this message does\n550-5.7.1 not meet IPv6 sending guidelines regarding PTR records and\n550 5.7.1 authentication.',
  ],
  gmail_tls: [
    "421 4.7.29 Your email has been rate limited because this message wasn't sent over a TLS connection. Gmail requires all bulk email senders to use TLS/SSL for SMTP connections.",
    "550 5.7.29 This mail has been blocked because it wasn't sent over a TLS connection. Gmail requires all large senders to use TLS for SMTP connections.",
  ],
  gmail_rate: [
    '421 4.7.28 Gmail has detected an unusual rate of mail originating from your DKIM domain news.example. To protect our users from spam, mail has been temporarily rate limited.',
  ],
  gmail_unsolicited: [
    '550 5.7.28 There is an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been blocked. [192.0.2.25]',
    '421 4.7.0 [192.0.2.25 15] Our system has detected an unusual rate of unsolicited mail originating from your IP address.',
  ],
  gmail_reputation_ip: [
    '550 5.7.1 [192.0.2.25 18] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address. To best protect our users from spam, the message has been blocked.',
  ],
  gmail_reputation_domain: [
    '421 4.7.0 This message is suspicious due to the very low reputation of the sending domain. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
  ],
  gmail_direct: [
    "550 5.7.1 [192.0.2.25] The IP you're using to send mail is not authorized to send email directly to our servers. Please use the SMTP relay at your service provider instead.",
  ],
  gmail_spam: [
    '550 5.7.1 [192.0.2.25 12] Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.',
  ],
  gmail_security: [
    '552 5.7.0 This message was blocked because its content presents a potential security issue.',
  ],
  gmail_organisation: [
    '550 5.7.1 This message violates school.example email policy. - gcdp 4a2f - gsmtp',
  ],
  microsoft_authentication_level: [
    '550 5.7.515 Access denied, sending domain news.example does not meet the required authentication level. Spf= Fail , Dkim= Fail , DMARC= Fail [AM4PEPF00027A6B.eurprd04.prod.outlook.com]',
  ],
  microsoft_dmarc_policy: [
    '550 5.7.509 Access denied, sending domain news.example does not pass DMARC verification and has a DMARC policy of reject.',
  ],
  microsoft_spf: [
    '550 5.7.23 The message was rejected because of Sender Policy Framework violation -> 550 5.7.1 SPF',
  ],
  microsoft_ipv6_unauthenticated: [
    '450 4.7.26 Service does not accept messages sent over IPv6 [2001:db8::25] unless they pass either SPF or DKIM validation (message not signed)',
    '450 4.7.26 Access denied, a message sent over IPv6 [2001:db8::25] must pass either SPF or DKIM validation, this message is not signed',
  ],
  microsoft_ptr: [
    '550 5.7.25 Access denied, the sending IPv6 address [2001:db8::25] must have a reverse DNS record',
  ],
  microsoft_s3140: [
    "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors. [DB8EUR06FT039.eop-eur06.prod.protection.outlook.com]",
  ],
  microsoft_s3150: [
    "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).",
    "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (AS3150).",
  ],
  microsoft_block_list: [
    "550 5.7.1 Unfortunately, messages from [192.0.2.25] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S77719).",
  ],
  microsoft_reputation_rate: [
    '451 4.7.650 The mail server [192.0.2.25] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775) [VI1EUR06FT038.eop-eur06.prod.protection.outlook.com]',
    '451 4.7.651 The mail server [192.0.2.25] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S77719)',
  ],
  microsoft_rp: [
    '421 RP-001 (COL004-MC4F14) Unfortunately, some messages from 192.0.2.25 weren’t sent. Please try again. We have limits for how many messages can be sent per hour and per day.',
    '421 RP-003 (BAY004-MC1F9) The mail server IP connecting to Outlook.com server has exceeded the connection limit allowed.',
  ],
  microsoft_sc: [
    '550 SC-001 (COL004-MC1F1) Mail rejected by Outlook.com for policy reasons. Reasons for rejection may be related to content with spam-like characteristics or IP/domain reputation.',
    '550 SC-002 (BAY004-MC1F1) Mail rejected by Outlook.com for policy reasons. The mail server IP connecting to Outlook.com has exhibited namespace mining behavior.',
  ],
  microsoft_sc_004: [
    '550 SC-004 (SNT004-MC2F1) Mail rejected by Outlook.com for policy reasons. A block has been placed against your IP address because we have received complaints concerning mail coming from that IP address.',
  ],
  microsoft_dy_001: [
    '550 DY-001 (BLU004-MC1F8) Mail rejected by Outlook.com for policy reasons. We generally do not accept email from dynamic IPs as they are not typically used to deliver unauthenticated SMTP email to an Internet mail server.',
  ],
  microsoft_dy_002: [
    '550 DY-002 (BLU004-MC1F8) Mail rejected by Outlook.com for policy reasons. The likely cause is a compromised or virus infected server/personal computer.',
  ],
  microsoft_ou_001: [
    '550 OU-001 (BAY004-MC4F5) Mail rejected by Outlook.com for policy reasons. If you are not an email/network admin please contact your E-mail/Internet Service Provider for help.',
  ],
  microsoft_ou_002: [
    '550 OU-002 (BAY004-MC4F5) Unfortunately, messages from 192.0.2.25 weren’t sent. Reasons for rejection may be related to content with spam-like characteristics or IP/domain reputation.',
  ],
  microsoft_banned_ip: [
    '550 5.7.606 Access denied, banned sending IP [192.0.2.25]. To request removal from this list please visit https://sender.office.com/ and follow the directions.',
  ],
  microsoft_banned_sender: [
    '550 5.7.511 Access denied, banned sender[192.0.2.25]. To request removal from this list please forward this message to delist@messaging.microsoft.com.',
  ],
  microsoft_traffic: [
    '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP. AS(7230)',
  ],
  microsoft_suspicious: [
    '451 4.7.500 Access denied, please try again later (AS 841)',
    '451 4.7.850 Access denied, please try again later',
  ],
  microsoft_busy: ['451 4.7.500 Server busy. Please try again later from [192.0.2.25]. (AS761)'],
  microsoft_organisation: [
    '550 5.7.513 Service unavailable, Client host [192.0.2.25] blocked by office.example using Customer Block list (AS16012607)',
    '550 5.7.507 Access denied, rejected by recipient',
  ],
  microsoft_group: [
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group',
  ],
  yahoo_deferred: [
    '421 4.7.0 [TSS04] Messages from 192.0.2.25 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
    '421 4.7.0 [TSS05] Messages from 192.0.2.25 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
    '421 4.7.0 [TS01] Messages from 192.0.2.25 temporarily deferred due to user complaints - 4.16.55.1',
  ],
  yahoo_permanently_deferred: [
    '553 5.7.2 [TSS09] All messages from 192.0.2.25 will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes',
    '421 4.7.1 [TS03] All messages from 192.0.2.25 permanently deferred; Retrying will NOT succeed.',
  ],
  yahoo_content: [
    '554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes',
  ],
  yahoo_unauthenticated: [
    '550 5.7.9 This mail has been blocked because the sender is unauthenticated. Yahoo requires all senders to authenticate with either SPF or DKIM.',
  ],
  yahoo_dmarc_policy: [
    '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
  ],
  yahoo_sender_domain: [
    '451 Message temporarily deferred due to unresolvable RFC.5321 from domain. See https://senders.yahooinc.com/error-codes#unresolvable-from-domain',
  ],
  apple_local_policy: [
    '550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    '554 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
  ],
  apple_unauthenticated: [
    '554 5.7.1 [HME1] This message was blocked for failing both SPF and DKIM authentication checks. See https://support.apple.com/en-us/HT204137 for mailing best practices',
  ],
  apple_dmarc_policy: [
    "554 5.7.1 Your message was rejected due to news.example's DMARC policy. See https://support.apple.com/en-us/HT204137",
  ],
  apple_rate: [
    '421 4.7.1 Messages to camille@icloud.example deferred due to excessive volume. Try again later - https://support.apple.com/en-us/HT204137',
  ],
  orange_spam: [
    '550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102',
  ],
  orange_refused: [
    '421 mwinf5c77 ME Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]',
    '421 opmta1mti05nd1 Service refuse. Veuillez essayer plus tard. service refused, please try later. OFR004_105',
  ],
  orange_rate: [
    '421 mwinf5c35 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]',
  ],
  orange_dmarc: ['501 5.0.2 Mail rejected. DMARC check failed. OFR_109'],
  orange_spf: ['550 5.5.0 SPF: 192.0.2.25 is not allowed to send mail. OFR_401'],
  orange_content: [
    '550 5.2.0 Mail rejete. Mail rejected. OFR_506 [506]',
    '550 Mail rejete. Mail rejected. OUK_513',
  ],
  laposte_rate: ['421 Too many connections, slow down. LPN105_104'],
  laposte_spf: ['550 5.5.0 SPF: 192.0.2.25 is not allowed to send mail. LPN004_401'],
  laposte_refused: [
    '450 4.7.1 Client host rejected: Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN027_503',
  ],
  laposte_content: [
    '550 5.7.1 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN007_510',
  ],
  laposte_dmarc: ['550 5.7.1 Rejected by DMARC policy of the sender. LPN007_517'],
  sfr_spam: [
    '450 4.7.1 <unknown[192.0.2.25]>: Client host rejected: Service refused due to bad behavior. SFR_IN_101',
  ],
  sfr_content: [
    '450 4.7.1 <unknown[192.0.2.25]>: Client host rejected: Service refused due to bad behavior. SFR_IN_202',
  ],
  sfr_reputation: [
    '450 4.7.1 <unknown[192.0.2.25]>: Client host rejected: Service refused due to bad behavior. SFR_IN_104',
  ],
  sfr_rate: [
    '450 4.7.1 <unknown[192.0.2.25]>: Client host rejected: Service refused due to bad behavior. SFR_IN_105',
  ],
  free_spam: [
    '571 Too many spams from your IP (192.0.2.25), please visit http://postmaster.free.fr/',
  ],
  free_errors: [
    '451 too many errors detected from your IP (192.0.2.25), please visit http://postmaster.free.fr/',
  ],
  free_content: ['550 spam detected, please visit http://postmaster.free.fr/'],
  gmx_block_list: [
    '554-gmx.net (mxgmx104) Nemesis ESMTP Service not available\n554-No SMTP service\n554-IP address is block listed.\n554 For explanation visit https://postmaster.gmx.net/en/case?c=r0201&i=ip&v=192.0.2.25&r=1MNcgj',
  ],
  gmx_ptr: [
    '554-web.de (mxweb111) Nemesis ESMTP Service not available\n554-No SMTP service\n554-Bad DNS PTR resource record.\n554 For explanation visit https://postmaster.web.de/en/error-messages?ip=192.0.2.25&c=rdns',
  ],
  gmx_spf: [
    '550-Requested action not taken: mailbox unavailable\n550-Reject due to SPF policy.\n550 The originating IP of the message is not permitted by the domain owner',
  ],
  gmx_content: [
    '554-Transaction failed\n554-Reject due to policy restrictions.\n554 For explanation visit https://postmaster.gmx.net/en/error-messages',
  ],
  gmx_violations: [
    '421-gmx.net (mxgmx016) Nemesis ESMTP Service not available\n421 Reject due to policy violations',
  ],
  gmx_rate: ['421 Rate limit reached. Please try again later'],
  telekom_reputation: [
    '554 IP=192.0.2.25 - None/bad reputation. Ask your postmaster for help or to contact tobr@rx.t-online.de for reset. (NOWL)',
    '554 IP=192.0.2.25 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.)',
  ],
  bluewin_reputation: [
    '554 5.2.0 sc969: IP reputation ratelimit in effect - https://support.bluewin.ch/provider/bounce/aXA9',
  ],
  mailru_content: [
    '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc or report details to abuse@corp.mail.ru.',
  ],
  mailru_ptr: [
    '550 Sorry, we do not accept mail from hosts with dynamic IP or generic DNS PTR-records. Please visit http://help.mail.ru/mail-help/rules/technical',
  ],
  yandex_content: [
    '554 5.7.1 [1] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc 1234567890-abc',
  ],
  comcast_patterns: [
    '554 resimta-po-11v.sys.comcast.net comcast 192.0.2.25 Comcast block for spam. Please see http://postmaster.comcast.net/smtp-error-codes.php#BL000000',
  ],
  comcast_block_lists: [
    '554 resimta-po-11v.sys.comcast.net comcast 192.0.2.25 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000010',
  ],
  comcast_rate: [
    '421 4.1.0 192.0.2.25 Throttled - try again later. Please see http://postmaster.comcast.net/smtp-error-codes.php#RL000001',
  ],
  comcast_ptr: [
    '554 resimta-po-11v.sys.comcast.net comcast 192.0.2.25 Comcast requires that all mail servers must have a PTR record with a valid Reverse DNS entry. For more information, refer to: http://postmaster.comcast.net/smtp-error-codes.php#PTR1003',
  ],
  cox_block_list: [
    '554 cox rejected - 192.0.2.25 CXBL',
    '554 eastrmimpi02 cox ESMTP server not available, 192.0.2.25 is on the list CXBL',
  ],
  cox_ptr: ['554 eastrmimpi02 cox 192.0.2.25 rejected - no rDNS CXDNS'],
  cox_rate: ['421 eastrmimpi02 cox too many messages in this session CXTHRT'],
  att_block_list: [
    '553 5.3.0 flph825 DNSBL:ATTRBL 521< 192.0.2.25 >_is_blocked. For assistance forward this email to abuse_rbl@abuse-att.net',
  ],
  att_ptr: [
    '550 5.7.1 Connections not accepted from servers without a valid sender domain.alph141 Fix reverse DNS for 192.0.2.25',
  ],
  qq_content: [
    '550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000726',
  ],
  qq_rate: [
    '550 Domain frequency limited [news.example IP: 192.0.2.25]. https://service.mail.qq.com/detail/122/72',
  ],
  mimecast_spf: [
    '550 SPF Sender Invalid - envelope rejected - https://community.mimecast.com/docs/DOC-1369#550',
  ],
  mimecast_dkim: [
    '550 DKIM Sender Invalid - envelope rejected - https://community.mimecast.com/docs/DOC-1369#550',
  ],
  mimecast_dmarc: [
    '550 DMARC Sender Invalid - envelope rejected - https://community.mimecast.com/docs/DOC-1369#550',
  ],
  mimecast_reputation: [
    '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
    '550 Local CT IP Reputation - (Reject)',
  ],
  mimecast_content: [
    '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554',
  ],
  mimecast_organisation: [
    '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
    '550 Envelope blocked – User Entry',
    '550 Rejected by header-based Anti-Spoofing policy: news.example',
  ],
  proofpoint_block_list: [
    '554 5.7.1 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.25',
    '550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.25',
  ],
  cloudmark_block_list: [
    '554 Connection refused. This IP has a poor reputation on Cloudmark Sender Intelligence (CSI). IB103',
    '550 5.7.1 192.0.2.25 is blocked, see http://csi.cloudmark.com/reset-request/?ip=192.0.2.25',
  ],
  barracuda_block_list: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.25',
    '550 5.7.1 Service unavailable; client [192.0.2.25] blocked using b.barracudacentral.org',
  ],
  barracuda_organisation: [
    '550 permanent failure for one or more recipients (camille@office.example:blocked)',
  ],
  cisco_reputation: [
    "554-mx.example.com\n554 Your access to this mail system has been rejected due to the sending MTA's poor reputation. If you believe that this failure is in error, please contact the intended recipient via alternate means.",
  ],
  trendmicro_block_list: [
    '550 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using Trend Micro RBL+. Please see http://www.mail-abuse.com/cgi-bin/lookup?ip_address=192.0.2.25',
  ],
  ses_identity: [
    'MessageRejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: hello@news.example',
  ],
  spamhaus: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.25',
    '550 5.7.1 Service unavailable, Client host [192.0.2.25] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.25 (AS16012611)',
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.25, because the ip is in Spamhaus's list; see https://postmaster.yahooinc.com/error-codes",
  ],
  spamhaus_dbl: [
    '550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see https://www.spamhaus.org/dbl/',
    '554 5.7.1 Service unavailable; Sender address blocked using dbl.spamhaus.org',
  ],
  spamcop: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using bl.spamcop.net; Blocked - see https://www.spamcop.net/bl.shtml?192.0.2.25',
  ],
  sorbs: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using dnsbl.sorbs.net; Currently Sending Spam See: http://www.sorbs.net/lookup.shtml?192.0.2.25',
  ],
  uceprotect: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using dnsbl-1.uceprotect.net; IP 192.0.2.25 is UCEPROTECT-Level 1 listed. See http://www.uceprotect.net/rblcheck.php?ipr=192.0.2.25',
  ],
  abusix: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using combined.mail.abusix.zone; https://lookup.abusix.com/search?q=192.0.2.25',
  ],
  psbl: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using psbl.surriel.com; Listed in PSBL, see http://psbl.org/listing?ip=192.0.2.25',
  ],
  spamrats: ['550 5.7.1 Service unavailable; client [192.0.2.25] blocked using noptr.spamrats.com'],
  nixspam: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using ix.dnsbl.manitu.net; Your e-mail service was detected by NiX Spam',
  ],
  surbl: ['554 5.7.1 Message contains a URL listed at multi.surbl.org'],
  uribl: ['550 5.7.1 Message blocked: a link in it is listed at black.uribl.com'],
  general_ptr: [
    '450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.25]',
    '450 4.7.1 Client host 192.0.2.25 has no PTR record (G1F)',
    '550 Reverse DNS required for 192.0.2.25',
  ],
  general_spf: [
    '550 5.7.23 <camille@example.com>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.open-spf.org/Why?s=mfrom;id=hello%40news.example;ip=192.0.2.25',
    '550 5.7.1 SPF check failed for news.example',
  ],
  general_dkim: [
    '550 5.7.20 No valid message without a valid DKIM signature is accepted here',
    '550 5.7.1 DKIM validation failed',
  ],
  general_dmarc: [
    '550 5.7.1 rejected by DMARC policy for news.example',
    '550 5.7.1 Email rejected per DMARC policy for news.example',
  ],
  general_tls: [
    '530 5.7.0 Must issue a STARTTLS command first',
    '553 This route requires encryption (TLS)',
  ],
  general_block_list: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using bl.example-lists.org',
  ],
  general_spam: [
    '554 5.7.1 Spam message rejected',
    '550 5.7.1 This message was classified as SPAM and may not be delivered',
  ],
  general_rate: [
    '421 4.7.0 mx.example.com Error: too many connections from 192.0.2.25',
    '450 4.7.1 Error: message rate exceeded',
  ],
}
