/**
 * Lists causes in the words of the mail servers and filters that many receivers run. A row of a
 * provider goes first.
 */
import { causesOf, type RefusalCause } from './refusal-cause.ts'

const rows = causesOf(
  {
    provider: null,
    source: 'https://www.postfix.org/postconf.5.html#reject_unknown_client_hostname',
    readOn: '2026-11-26',
  },
  [
    {
      id: 'general_ptr',
      requirement: 'reverse_dns',
      says: /client host rejected: cannot find your (?:reverse )?hostname|(?:no|missing|invalid|without|bad) (?:a )?(?:valid )?(?:reverse dns|rdns|ptr)\b|(?:reverse dns|rdns|ptr)(?: record)? (?:is )?(?:required|missing|not found|does not exist)/i,
    },
    {
      id: 'general_spf',
      requirement: 'spf',
      says: /message rejected due to: spf fail|open-?spf\.(?:org|net)\/why|spf (?:check|validation|authentication) ?fail|failed spf (?:check|validation|authentication)/i,
      source: 'https://launchpad.net/pypolicyd-spf',
    },
    {
      id: 'general_dkim',
      requirement: 'dkim',
      says: /(?:no|missing|invalid|bad|without (?:a )?valid) dkim[- ]signature|dkim (?:check|validation|authentication|verification) ?fail/i,
      source: 'http://www.opendkim.org/opendkim.conf.5.html',
    },
    {
      id: 'general_dmarc',
      requirement: 'alignment',
      says: /rejected by dmarc policy|dmarc (?:check|validation|authentication) ?fail|fail(?:ed|s)? dmarc|rejected (?:due to|because of|per) .{0,60}dmarc policy/i,
      source: 'https://github.com/trusteddomainproject/OpenDMARC',
    },
    {
      id: 'general_tls',
      requirement: 'tls',
      says: /must issue a starttls command first|\btls (?:is )?required|encryption (?:is )?required|requires encryption|requires tls|session encryption is required/i,
      source: 'https://www.rfc-editor.org/rfc/rfc3207#section-4',
    },
    {
      id: 'general_block_list',
      requirement: 'blocklist',
      says: /blocked using (?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,}|listed (?:in|at|by|on) (?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,}/i,
      source: 'https://www.postfix.org/postconf.5.html#reject_rbl_client',
    },
    {
      id: 'general_spam',
      requirement: 'content',
      says: /(?:classified|identified|detected|recogni[sz]ed|considered|flagged) as spam|spam message (?:rejected|refused)|rejected,? (?:as|because it is) spam|message (?:content )?(?:looks like|is|contains) spam\b|high spam score/i,
      source: 'https://docs.rspamd.com/configuration/metrics/',
    },
    {
      id: 'general_rate',
      requirement: 'rate',
      says: /too many (?:concurrent |simultaneous )?(?:connections|sessions) from|(?:message|sending|delivery|connection) rate (?:limit )?exceeded|rate limit exceeded/i,
      source: 'https://www.postfix.org/postconf.5.html#smtpd_client_connection_rate_limit',
    },
  ],
)

export const generalCauses: RefusalCause[] = rows.map((row) => ({ ...row, isGeneral: true }))
