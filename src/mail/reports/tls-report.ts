/** Reads a TLS report (RFC 8460): how senders fared that wanted to deliver to a domain by TLS. */
import { readName } from './dmarc-report.ts'

export interface TlsReport {
  reportId: string
  /** Seconds since 1970. */
  begins: number
  results: ReportedTlsResult[]
}

export interface ReportedTlsResult {
  /** The name that the policy is of, in lower case: a domain, or the host of its return paths. */
  policyDomain: string
  policy: 'sts' | 'tlsa' | 'no-policy-found' | 'other'
  /** The host that the sender reached. Null if the report does not say. */
  host: string | null
  /** `success`, or the kind of failure (RFC 8460 4.3), such as `certificate-expired`. */
  result: string
  sessions: number
}

/** Bytes of the JSON: a report has a line for each kind of failure of a host. */
const jsonMax = 2_000_000
const policiesMax = 100
const resultsMax = 1_000
const sessionsMax = 1e12

/**
 * `domain`: that of the mail, for policies that name none. Throws when it is no report, or beyond
 * the limits.
 */
export function readTlsReport(unpacked: Buffer, domain = ''): TlsReport {
  if (unpacked.length > jsonMax) throw new Error(`more than ${jsonMax} bytes`)
  const report = fieldsOf(JSON.parse(documentOf(unpacked.toString('utf8'))) as unknown)
  const begins = Date.parse(textOf(fieldsOf(report['date-range'])['start-datetime'])) / 1000
  const reportId = textOf(report['report-id']).slice(0, 500)
  const policies = listOf(report['policies'])
  if (!Number.isFinite(begins) || begins <= 0 || reportId === '')
    throw new Error('a report without its time or identifier')
  if (policies.length === 0 || policies.length > policiesMax)
    throw new Error('a report without policies, or with too many')
  const results = policies.flatMap((policy) => readPolicy(policy, domain))
  if (results.length > resultsMax) throw new Error(`more than ${resultsMax} results`)
  return { reportId, begins: Math.floor(begins), results }
}

/** A byte order mark may stand before it, and bytes of a mail program behind it. */
const documentOf = (text: string): string =>
  text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1)

/**
 * Postfix's reporter leaves `policy-domain` out where the domain has no policy (RFC 8460 4.4 has it
 * in each).
 */
function readPolicy(json: unknown, domain: string): ReportedTlsResult[] {
  const { policy: about, summary, 'failure-details': failures } = fieldsOf(json)
  const policyDomain = readName(textOf(fieldsOf(about)['policy-domain']) || domain)
  if (policyDomain === null) return []
  const policy: ReportedTlsResult['policy'] =
    policies.find((known) => known === fieldsOf(about)['policy-type']) ?? 'other'
  const succeeded = countOf(fieldsOf(summary)['total-successful-session-count'])
  const failed = countOf(fieldsOf(summary)['total-failure-session-count'])
  const details = listOf(failures)
    .slice(0, resultsMax + 1)
    .flatMap((detail): ReportedTlsResult[] => {
      const fields = fieldsOf(detail)
      const sessions = countOf(fields['failed-session-count'])
      const result =
        /^[a-z0-9-]{1,40}$/.exec(textOf(fields['result-type']).toLowerCase())?.[0] ?? 'other'
      if (sessions === 0) return []
      return [
        {
          policyDomain,
          policy,
          host: readName(textOf(fields['receiving-mx-hostname'])),
          result: result === 'success' ? 'other' : result,
          sessions,
        },
      ]
    })
  // The summary counts what no detail explains.
  const explained = details.reduce((sum, { sessions }) => sum + sessions, 0)
  const rest = { policyDomain, policy, host: null }
  return [
    ...(succeeded > 0 ? [{ ...rest, result: 'success', sessions: succeeded }] : []),
    ...details,
    ...(failed > explained ? [{ ...rest, result: 'other', sessions: failed - explained }] : []),
  ]
}

const policies = ['sts', 'tlsa', 'no-policy-found'] as const

const fieldsOf = (value: unknown): Record<string, unknown> =>
  // An object of JSON has texts as its names.
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** Some reporters write numbers as texts. */
function countOf(value: unknown): number {
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= sessionsMax
    ? count
    : 0
}
