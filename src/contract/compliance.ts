/**
 * What the large receivers demand of senders, each with the page that says it and since when. The
 * check of a domain, the preflight of a campaign, the pages and docs/domains.md use this one table.
 */
import { words } from '../ground/words.ts'
import { checkedRequirements } from './requirements.ts'

/**
 * Requirements that are checked: those that refusals name too, and two that receivers only ask for.
 */
export const complianceRequirements = [
  ...checkedRequirements,
  'dmarc_reports',
  'sender_domain',
] as const
export type ComplianceRequirement = (typeof complianceRequirements)[number]

export const mailReceivers = ['gmail', 'yahoo', 'microsoft', 'laposte'] as const
export type Receiver = (typeof mailReceivers)[number]

/** Where a receiver publishes what it demands, and the day since when it does. */
export const receiverRules: Record<Receiver, { source: string; since: string }> = {
  gmail: { source: 'https://support.google.com/a/answer/81126', since: '2024-02-01' },
  yahoo: { source: 'https://senders.yahooinc.com/best-practices/', since: '2024-02-01' },
  microsoft: {
    source: 'https://substrate.office.com/ip-domain-management-snds/postmaster/Policies',
    since: '2025-05-05',
  },
  laposte: {
    source:
      'https://postmaster.laposte.net/contents/quelles-sont-les-specifications-techniques-a-respecter-pour-emettre-des-emails-vers-laposte-net',
    since: '2025-09-01',
  },
}

/**
 * `bulk`: of senders of 5,000 mails a day or more; `advised`: the receiver advises it, and refuses
 * nothing without.
 */
export type DemandOf = 'all' | 'bulk' | 'advised'

/** Gmail and Yahoo ask all senders for SPF or DKIM, and bulk senders for both. */
export const demands: Record<ComplianceRequirement, Partial<Record<Receiver, DemandOf>>> = {
  spf: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'bulk', laposte: 'all' },
  dkim: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'bulk', laposte: 'advised' },
  dmarc: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'bulk', laposte: 'all' },
  alignment: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'bulk', laposte: 'all' },
  one_click: { gmail: 'bulk', yahoo: 'bulk' },
  visible_link: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'advised' },
  reverse_dns: { gmail: 'all', yahoo: 'all', laposte: 'all' },
  tls: { gmail: 'all' },
  spam_rate: { gmail: 'all', yahoo: 'all' },
  volume: { gmail: 'bulk', yahoo: 'bulk', microsoft: 'bulk' },
  dmarc_reports: { laposte: 'all' },
  sender_domain: { microsoft: 'advised' },
}

/** Mails of an organisation in a day to one receiver, from which on it is a bulk sender there. */
export const bulkMailsMin = 5_000

export const complianceStates = ['met', 'not_met', 'unknown', 'not_applicable'] as const
export type ComplianceState = (typeof complianceStates)[number]

/** Why a requirement is in its state; entry points write the sentences. */
export const complianceReasons = [
  'good',
  'not_checked',
  'dns_unanswered',
  'not_signed',
  'key_not_found',
  'spf_not_known',
  'spf_fails',
  'no_dmarc',
  'dmarc_fails',
  'no_dmarc_reports',
  'no_mail_host',
  'base_url_unknown',
  'base_url_private',
  'base_url_without_tls',
  'relay_decides',
  'kept_here',
  'no_source_address',
  'no_reverse_name',
  'reverse_name_elsewhere',
  'no_gmail_rate',
  'gmail_rate_high',
  'below_bulk',
  'bulk_not_met',
] as const
export type ComplianceReason = (typeof complianceReasons)[number]

/**
 * Domains of mailboxes by their receiver. A country's domain follows the name: `yahoo.co.uk`,
 * `hotmail.fr`.
 */
const namesOf: [receiver: Receiver, names: readonly string[], families: readonly string[]][] = [
  ['gmail', words('gmail.com googlemail.com'), []],
  ['yahoo', words('ymail.com rocketmail.com myyahoo.com aim.com'), words('yahoo aol')],
  ['microsoft', words('msn.com'), words('outlook hotmail live')],
  ['laposte', words('laposte.net'), []],
]

/**
 * Null if the mailbox is of another one. Mail hosts of customers' own domains are not known from
 * the name.
 */
export function receiverOf(domain: string): Receiver | null {
  const known = receiverByName.get(domain)
  if (known !== undefined) return known
  const [family = '', ...rest] = domain.split('.')
  if (rest.length > 2 || rest.some((label) => label.length > 3)) return null
  return namesOf.find(([, , families]) => families.includes(family))?.[0] ?? null
}

const receiverByName = new Map(
  namesOf.flatMap(([receiver, names]) => names.map((name) => [name, receiver] as const)),
)

/** Programmes by which receivers report on mail to those who enrol. */
export const enrolmentPrograms = [
  'yahoo_cfl',
  'microsoft_jmrp',
  'microsoft_snds',
  'google_postmaster',
  'signal_spam',
] as const
export type EnrolmentProgram = (typeof enrolmentPrograms)[number]

/** Where one enrols. */
export const enrolmentPages: Record<EnrolmentProgram, string> = {
  yahoo_cfl: 'https://senders.yahooinc.com/complaint-feedback-loop/',
  microsoft_jmrp: 'https://substrate.office.com/ip-domain-management-snds/snds',
  microsoft_snds: 'https://substrate.office.com/ip-domain-management-snds/snds',
  google_postmaster: 'https://postmaster.google.com/',
  signal_spam: 'https://www.signal-spam.fr/',
}
