/**
 * Prints which requirements of receivers a domain meets, what would meet the others, and where to
 * enrol for reports.
 */
import type {
  ComplianceReason,
  ComplianceRequirement,
  EnrolmentProgram,
  Receiver,
} from '../../../contract/compliance.ts'
import type { DomainCompliance, Enrolment } from '../../../contract/workspace/compliance.ts'
import { fill } from '../../../ground/texts/texts.ts'
import texts from '../campaign/finding-sentences.json' with { type: 'json' }
import { cellOf } from '../present.ts'
import { shownNumber } from '../result.ts'
import { harmless } from '../terminal-text.ts'

type Requirement = DomainCompliance['requirements'][number]

const titles: Record<ComplianceRequirement, string> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC policy',
  alignment: 'DKIM or SPF aligned with the sender',
  one_click: 'One-click unsubscribe, signed',
  visible_link: 'Visible unsubscribe link',
  reverse_dns: 'Reverse DNS of our addresses',
  tls: 'TLS to the receivers',
  spam_rate: 'Spam rate at Gmail',
  volume: '5,000 mails a day',
  dmarc_reports: 'Address for DMARC reports',
  sender_domain: 'The domain takes mail',
}

const receiverNames: Record<Receiver, string> = {
  gmail: 'Gmail',
  yahoo: 'Yahoo',
  microsoft: 'Microsoft',
  laposte: 'La Poste',
}

export const programNames: Record<EnrolmentProgram, string> = {
  yahoo_cfl: 'Yahoo Complaint Feedback Loop',
  microsoft_jmrp: 'Microsoft JMRP',
  microsoft_snds: 'Microsoft SNDS',
  google_postmaster: 'Google Postmaster Tools',
  signal_spam: 'Signal Spam',
}

const states: Record<Requirement['state'], string> = {
  met: 'met',
  not_met: 'not met',
  unknown: 'unknown',
  not_applicable: 'not ours',
}

/** Of requirements that are met, where the table of the preflight has none. */
const good: Record<ComplianceRequirement, string> = {
  ...texts.good,
  alignment: texts.good.dmarc,
  visible_link: 'each campaign ends with it, and it can be reached',
  tls: 'used with each host that offers it',
  volume: 'a bulk sender since {{since}}, and all that is demanded of one is met',
}

const reasons: Record<Exclude<ComplianceReason, 'good'>, { message: string }> = {
  ...texts.reasons,
  not_checked: { message: 'not checked yet: facteur domain verify checks at once' },
  kept_here: { message: 'mail stays in the capture mailbox' },
  relay_decides: { message: 'the operator of the relay answers for it' },
  below_bulk: {
    message:
      'fewer than {{max}} to each receiver so far: what is demanded of bulk senders is advice',
  },
  bulk_not_met: { message: 'a bulk sender since {{since}}, who does not meet: {{missing}}' },
}

export function printCompliance({
  name,
  evaluated_at: at,
  requirements,
  enrolments,
  gmail,
}: DomainCompliance): string {
  const counted = Object.entries(states).flatMap(([state, word]) => {
    const count = requirements.filter((requirement) => requirement.state === state).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const checkedText = at === null ? 'not checked yet' : `checked ${cellOf(at)} UTC`
  const rates = (gmail?.days ?? [])
    .slice(0, 7)
    .map(({ day, spam_rate: rate }) => `  ${day}  ${(rate * 100).toFixed(2)} %`)
  return [
    `${name}: ${counted.join(', ')}; ${checkedText}.`,
    ...requirements.map(describeRequirement),
    ...(rates.length > 0 ? [['Spam rates at Gmail', ...rates].join('\n')] : []),
    [
      'Reports of receivers',
      ...enrolments
        .filter(({ applies }) => applies)
        .map((enrolment) => `  ${describeEnrolment(enrolment)}`),
    ].join('\n'),
  ].join('\n\n')
}

function describeRequirement({
  requirement,
  state,
  reason,
  details,
  since,
  record,
  demanded_by: by,
}: Requirement): string {
  const demandedBy = by
    .map(({ receiver, of }) => `${receiverNames[receiver]}${of === 'all' ? '' : ` (${of})`}`)
    .join(', ')
  const shown = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? harmless(value)
      : name.startsWith('rate')
        ? `${(value * 100).toFixed(2)} %`
        : shownNumber(value),
  ])
  const sentence = reason === 'good' ? good[requirement] : reasons[reason].message
  return [
    `${states[state].padEnd(8)}  ${titles[requirement]}${since === null ? '' : `, since ${since.slice(0, 10)}`}`,
    `  ${fill(sentence, Object.fromEntries(shown) as Record<string, string>)}`,
    `  demanded by ${demandedBy}`,
    ...(record === null
      ? []
      : [`  ${record.type.padEnd(5)} ${record.name}`, `        ${harmless(record.value)}`]),
  ].join('\n')
}

/** One line: the page, what to enter, and the first report. */
export function describeEnrolment({
  program,
  url,
  values,
  first_report_at: first,
}: Enrolment): string {
  const entered = values
    .map(({ field, value }) => `${field} ${value ?? `unknown (${settingOf[field]})`}`)
    .join(', ')
  const came = first === null ? 'no report yet' : `first report on ${cellOf(first)} UTC`
  return `${programNames[program]}: ${came}; ${url} asks for ${entered}`
}

/** The setting whose absence leaves a value open. */
const settingOf: Record<Enrolment['values'][number]['field'], string> = {
  domain: 'the domain',
  selector: 'its DKIM record is not found yet',
  address: 'set FACTEUR_INBOUND_DOMAIN',
  addresses: 'set FACTEUR_SOURCE_ADDRESS',
  account: 'set FACTEUR_GOOGLE_POSTMASTER_KEY',
}
