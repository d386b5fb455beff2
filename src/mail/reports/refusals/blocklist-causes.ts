/** Lists the blocklists that servers name when they refuse, each with its look-up. */
import { causesOf, type RefusalCause } from './refusal-cause.ts'

const readOn = '2026-11-26'

type List = Pick<RefusalCause, 'id' | 'says' | 'link'> & { provider: string; source: string }

const list = ({ provider, source, ...row }: List): RefusalCause[] =>
  causesOf({ provider, source, readOn }, [{ ...row, requirement: 'blocklist' }])

export const blocklistCauses = [
  ...list({
    id: 'spamhaus',
    provider: 'Spamhaus',
    // The list of domains is the next one.
    says: /spamhaus(?!.{0,12}\bdbl\b)(?!\.(?:org|com)\/dbl)(?<!dbl\.spamhaus)/i,
    link: 'https://check.spamhaus.org/query/ip/{ip}',
    source: 'https://www.spamhaus.org/blocklists/',
  }),
  ...list({
    id: 'spamhaus_dbl',
    provider: 'Spamhaus DBL',
    says: /spamhaus.{0,12}\bdbl\b|dbl\.spamhaus|spamhaus\.(?:org|com)\/dbl/i,
    link: 'https://check.spamhaus.org/query/domain/{domain}',
    source: 'https://www.spamhaus.org/blocklists/domain-blocklist/',
  }),
  ...list({
    id: 'spamcop',
    provider: 'SpamCop',
    says: /spamcop/i,
    link: 'https://www.spamcop.net/w3m?action=checkblock&ip={ip}',
    source: 'https://www.spamcop.net/bl.shtml',
  }),
  // SORBS ended in June 2024. A server that still asks it refuses everybody, and only its
  // administrator mends that.
  ...list({
    id: 'sorbs',
    provider: 'SORBS',
    says: /\bsorbs\b/i,
    source: 'https://en.wikipedia.org/wiki/SORBS',
  }),
  ...list({
    id: 'uceprotect',
    provider: 'UCEPROTECT',
    says: /uceprotect/i,
    link: 'https://www.uceprotect.net/en/rblcheck.php?ipr={ip}',
    source: 'https://www.uceprotect.net/en/',
  }),
  ...list({
    id: 'abusix',
    provider: 'Abusix',
    says: /abusix/i,
    link: 'https://lookup.abusix.com/search?q={ip}',
    source: 'https://docs.abusix.com/',
  }),
  ...list({
    id: 'psbl',
    provider: 'PSBL',
    says: /psbl\.(?:surriel\.com|org)/i,
    link: 'https://psbl.org/listing?ip={ip}',
    source: 'https://psbl.org/',
  }),
  ...list({
    id: 'spamrats',
    provider: 'SpamRATS',
    says: /spamrats/i,
    link: 'https://www.spamrats.com/lookup.php?ip={ip}',
    source: 'https://www.spamrats.com/',
  }),
  ...list({
    id: 'nixspam',
    provider: 'NiX Spam',
    says: /ix\.dnsbl\.manitu\.net|nix ?spam/i,
    source: 'https://www.nixspam.net/',
  }),
  ...list({
    id: 'surbl',
    provider: 'SURBL',
    says: /surbl\.org/i,
    link: 'https://surbl.org/surbl-analysis',
    source: 'https://surbl.org/',
  }),
  ...list({
    id: 'uribl',
    provider: 'URIBL',
    says: /uribl\.com/i,
    link: 'https://lookup.uribl.com/',
    source: 'https://uribl.com/',
  }),
]
