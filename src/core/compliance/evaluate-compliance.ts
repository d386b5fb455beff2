/** Evaluates which requirements of the large receivers a domain meets, from facts alone. */
import {
  bulkMailsMin,
  complianceRequirements,
  demands,
  mailReceivers,
  type ComplianceReason,
  type ComplianceRequirement,
  type ComplianceState,
} from '../../contract/compliance.ts'
import { gmailSpamRateMax } from '../../contract/thresholds.ts'
import { readTagList } from '../../ground/dns/read-tags.ts'
import type { ComplianceRecord, ComplianceRow } from '../../db/compliance/domain-compliance.ts'
import { dmarcPolicy } from '../domain-records/expected-records.ts'
import type { ComplianceFacts } from './compliance-facts.ts'

type Details = ComplianceRow['details']
type Result = Omit<ComplianceRow, 'requirement'>

/** In the order of the table of requirements. */
export function evaluateCompliance(facts: ComplianceFacts): ComplianceRow[] {
  const results: Record<Exclude<ComplianceRequirement, 'volume'>, Result> = {
    spf: evaluateSpf(facts),
    dkim: evaluateDkim(facts),
    dmarc: evaluateDmarc(facts),
    alignment: evaluateAlignment(facts),
    one_click: evaluateOneClick(facts),
    visible_link: evaluateVisibleLink(facts),
    reverse_dns: evaluateReverseDns(facts),
    tls: evaluateTls(facts),
    spam_rate: evaluateSpamRate(facts),
    dmarc_reports: evaluateDmarcReports(facts),
    sender_domain: evaluateSenderDomain(facts),
  }
  return complianceRequirements.map((requirement) => ({
    requirement,
    ...(requirement === 'volume' ? evaluateVolume(facts, results) : results[requirement]),
  }))
}

const result = (
  state: ComplianceState,
  reason: ComplianceReason,
  details: Details = {},
  record: ComplianceRecord | null = null,
): Result => ({ state, reason, details, record })
const met = (details: Details = {}): Result => result('met', 'good', details)
const unanswered = (name: string): Result => result('unknown', 'dns_unanswered', { name })

/** A signature that the relay adds is not visible from here. */
function evaluateDkim({ domain, dkim }: ComplianceFacts): Result {
  if (dkim === null) return result('not_met', 'not_signed', { domain })
  if (dkim.checked.status === 'unanswered') return unanswered(domain)
  return dkim.checked.status === 'found'
    ? met({ domain })
    : result('not_met', 'key_not_found', { domain }, recordOf(dkim.record, dkim.checked.expected))
}

function evaluateSpf({ domain, spf }: ComplianceFacts): Result {
  if (spf === null) return result('unknown', 'spf_not_known', { domain })
  const { name } = spf.record
  if (spf.checked.status === 'unanswered') return unanswered(name)
  if (spf.checked.status === 'found') return met({ domain: name })
  return result(
    'not_met',
    'spf_fails',
    { domain: name, expected: spf.checked.expected },
    recordOf(spf.record, spf.checked.expected),
  )
}

const recordOf = (
  { type, name }: Pick<ComplianceRecord, 'type' | 'name'>,
  value: string,
): ComplianceRecord => ({
  type,
  name,
  value,
})

function evaluateDmarc(facts: ComplianceFacts): Result {
  const { domain, dmarc } = facts
  if (dmarc.kind === 'failed') return unanswered(`_dmarc.${domain}`)
  if (dmarc.kind === 'found') return met({ policy: dmarc.policy })
  return result('not_met', 'no_dmarc', { domain }, newDmarcRecord(facts))
}

/** The same record that the domain's list has: a name has one policy. */
const newDmarcRecord = ({ domain, reportAddress }: ComplianceFacts): ComplianceRecord => ({
  type: 'TXT',
  name: `_dmarc.${domain}`,
  value: dmarcPolicy(reportAddress),
})

/**
 * The present policy with an address for reports; undefined where no address is known to take mail.
 */
function dmarcRecordWithReports(
  facts: ComplianceFacts,
  { at, text }: { at: string; text: string },
): ComplianceRecord | undefined {
  // Each domain that takes mail has the mailbox `postmaster` (RFC 5321 4.5.1).
  const postmaster = at === facts.domain && facts.takesMail === true ? `postmaster@${at}` : null
  const address = facts.reportAddress ?? postmaster
  if (address === null) return undefined
  return {
    type: 'TXT',
    name: `_dmarc.${at}`,
    value: `${text.trim().replace(/;$/, '')}; rua=mailto:${address}`,
  }
}

/** Our signature uses the From domain itself, so it is aligned. */
function evaluateAlignment(facts: ComplianceFacts): Result {
  const { domain, dmarc, dkim, spf, spfAligned } = facts
  const policy = dmarc.kind === 'found' ? dmarc.policy : 'none'
  if (dkim?.checked.status === 'found' || (spf?.checked.status === 'found' && spfAligned === true))
    return met({ policy })
  const isUnknown =
    dkim?.checked.status === 'unanswered' ||
    spf?.checked.status === 'unanswered' ||
    spfAligned === null
  return isUnknown ? unanswered(domain) : result('not_met', 'dmarc_fails', { domain, policy })
}

/** RFC 8058 3.1, 4: the address is https, and a signature covers both headers, as ours does. */
function evaluateOneClick(facts: ComplianceFacts): Result {
  const { dkim, baseUrl } = facts
  const visible = evaluateVisibleLink(facts)
  if (visible.state !== 'met') return visible
  if (!baseUrl.isHttps) return result('not_met', 'base_url_without_tls', { url: baseUrl.url })
  if (dkim?.checked.status === 'unanswered') return unanswered(facts.domain)
  return dkim?.checked.status === 'found'
    ? met()
    : result('not_met', 'not_signed', { domain: facts.domain })
}

/** Each campaign ends with the link; whether it leads anywhere depends on our address. */
function evaluateVisibleLink({ way, baseUrl: { url, host, addresses } }: ComplianceFacts): Result {
  if (addresses === 'none') return result('not_met', 'base_url_unknown', { url, host })
  if (addresses === 'public') return met()
  return way === 'captures'
    ? result('not_applicable', 'kept_here')
    : result('not_met', 'base_url_private', { url })
}

function evaluateReverseDns({ way, sources }: ComplianceFacts): Result {
  if (way !== 'direct') return elsewhere(way)
  if (sources.length === 0) return result('unknown', 'no_source_address')
  const wrong = sources.find(({ name }) => name.kind === 'none' || name.kind === 'elsewhere')
  if (wrong?.name.kind === 'elsewhere')
    return result('not_met', 'reverse_name_elsewhere', {
      address: wrong.address,
      host: wrong.name.host,
    })
  if (wrong) return result('not_met', 'no_reverse_name', { address: wrong.address })
  const silent = sources.find(({ name }) => name.kind === 'failed')
  return silent
    ? unanswered(silent.address)
    : met({ addresses: sources.map(({ address }) => address).join(', ') })
}

/** Our own delivery uses TLS with each host that offers it. */
const evaluateTls = ({ way }: ComplianceFacts): Result =>
  way === 'direct' ? met() : elsewhere(way)

const elsewhere = (way: ComplianceFacts['way']): Result =>
  result('not_applicable', way === 'captures' ? 'kept_here' : 'relay_decides')

/** Gmail publishes nothing for days of little mail. */
function evaluateSpamRate({ gmailDays }: ComplianceFacts): Result {
  const [newest] = gmailDays
  if (!newest) return result('unknown', 'no_gmail_rate')
  const high = gmailDays.find(({ spamRate }) => spamRate > gmailSpamRateMax)
  return high
    ? result('not_met', 'gmail_rate_high', {
        day: high.day,
        rate: high.spamRate,
        rate_max: gmailSpamRateMax,
      })
    : met({ day: newest.day, rate: newest.spamRate, rate_max: gmailSpamRateMax })
}

/** La Poste asks for an address of reports, also where the policy is none. */
function evaluateDmarcReports(facts: ComplianceFacts): Result {
  const { domain, dmarc } = facts
  if (dmarc.kind === 'failed') return unanswered(`_dmarc.${domain}`)
  if (dmarc.kind !== 'found')
    return result(
      'not_met',
      'no_dmarc_reports',
      { domain },
      facts.reportAddress === null ? undefined : newDmarcRecord(facts),
    )
  const reports = readTagList(dmarc.text).get('rua') ?? ''
  if (/mailto:[^\s@:]+@\S/i.test(reports))
    return met({ address: reports.replaceAll(/mailto:/gi, '') })
  return result(
    'not_met',
    'no_dmarc_reports',
    { domain: dmarc.at },
    dmarcRecordWithReports(facts, dmarc),
  )
}

function evaluateSenderDomain({ domain, takesMail }: ComplianceFacts): Result {
  if (takesMail === null) return unanswered(domain)
  return takesMail ? met({ domain }) : result('not_met', 'no_mail_host', { domain })
}

/** Met by a bulk sender that meets all that its receivers demand of one. */
function evaluateVolume(
  { volumes }: ComplianceFacts,
  results: Record<Exclude<ComplianceRequirement, 'volume'>, Result>,
): Result {
  const bulk = mailReceivers.filter((receiver) =>
    volumes.some((volume) => volume.receiver === receiver && volume.bulkSince !== null),
  )
  if (bulk.length === 0) return result('not_applicable', 'below_bulk', { max: bulkMailsMin })
  const missing = complianceRequirements.filter(
    (requirement) =>
      requirement !== 'volume' &&
      results[requirement].state === 'not_met' &&
      bulk.some((receiver) =>
        ['all', 'bulk'].includes(demands[requirement][receiver] ?? 'advised'),
      ),
  )
  const since = volumes.flatMap(({ bulkSince }) => bulkSince ?? []).toSorted()[0] ?? ''
  return missing.length === 0
    ? met({ since })
    : result('not_met', 'bulk_not_met', { since, missing: missing.join(', ') })
}
