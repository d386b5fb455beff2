/**
 * Prints what mailbox providers report on a domain: who sends as it, how its hosts receive, who
 * complains.
 */
import { reportRecordsMax, type DomainReports } from '../../../contract/workspace/domain-reports.ts'
import { harmless } from '../terminal-text.ts'

/** A paragraph for each kind of report. */
export function printReports({ name, dmarc, tls, complaints }: DomainReports): string {
  return [
    titled(
      `DMARC, mail from ${name}`,
      [...dmarc.sources.map(describeSource), ...describeCut(dmarc)],
      'No DMARC report came in 30 days.',
    ),
    titled(`TLS, mail to ${name}`, tls.results.map(describeResult), noTls(tls)),
    titled(
      'Complaints',
      complaints.map(describeComplaint),
      'No complaint came by mail in 30 days.',
    ),
  ].join('\n\n')
}

const noTls = ({ record }: DomainReports['tls']): string =>
  `No TLS report came in 30 days.${record === null || record.is_found ? '' : ` To get them, set ${record.name} TXT "${record.value}".`}`

const titled = (title: string, lines: string[], none: string): string =>
  lines.length === 0 ? none : [title, ...lines].join('\n')

const describeCut = ({ cut_reports: count }: DomainReports['dmarc']): string[] =>
  count === 0
    ? []
    : [
        `  ${count} ${count === 1 ? 'report' : 'reports'} had more than ${reportRecordsMax} records: the others were not read.`,
      ]

type Source = DomainReports['dmarc']['sources'][number]

function describeSource({
  source,
  messages,
  passed,
  ours,
  header_from: from,
  ...rest
}: Source): string {
  const { dkim_domain: signed, reporters, proven } = rest
  const failed = messages - passed
  const facts = [
    `${messages} mails`,
    failed === 0 ? 'all passed' : `${failed} failed`,
    ours ? 'signed here' : signed === null ? 'no signature passed' : `signed by ${signed}`,
    `From ${from}`,
  ]
  return `  ${source ?? 'others'}: ${harmless(facts.join(', '))}${by(reporters, proven)}`
}

type Result = DomainReports['tls']['results'][number]

const describeResult = ({
  host,
  policy_domain: to,
  result,
  sessions,
  reporters,
  proven,
}: Result): string =>
  `  ${harmless(host ?? to)}: ${harmless(result)}, ${sessions} sessions${by(reporters, proven)}`

type Complaint = DomainReports['complaints'][number]

const describeComplaint = ({
  reporter,
  verified,
  proven,
  unverified,
  last_at: last,
}: Complaint): string =>
  `  ${harmless(reporter)}: ${proven} that count, ${verified - proven} that only suppress, ${unverified} that prove nothing, last on ${last.slice(0, 10)}`

const by = (reporters: string[], proven: boolean): string =>
  ` (${harmless(reporters.join(', '))}${proven ? '' : ', not proven'})`
