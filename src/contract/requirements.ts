/**
 * Names what receivers demand of senders. The compliance of a domain and the causes of refusals use
 * the same names: those of the first list can be checked, those of the second only show in
 * refusals.
 */

export const checkedRequirements = [
  'spf',
  'dkim',
  'dmarc',
  'alignment',
  'one_click',
  'visible_link',
  'reverse_dns',
  'tls',
  'spam_rate',
  'volume',
] as const

export const requirements = [
  ...checkedRequirements,
  'reputation',
  'blocklist',
  'rate',
  'content',
  'recipient_policy',
  'enrolment',
] as const

export type Requirement = (typeof requirements)[number]
