/**
 * Checks whether receivers take the mail of the From domain: by the same evaluation as the page of
 * the domain, with DNS as it is now.
 *
 * A requirement that is not met is a problem where it is demanded of this sender, and else a
 * warning: large receivers demand more of senders of 5,000 mails a day. A signature or record that
 * the relay adds is not visible from here.
 */
import {
  bulkMailsMin,
  demands,
  mailReceivers,
  type ComplianceReason,
  type ComplianceRequirement,
} from '../../../contract/compliance.ts'
import { domainsOf, type DomainRow } from '../../../db/domains/domains.ts'
import { domainKeysOf } from '../../../db/domains/domain-keys.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { ComplianceRow } from '../../../db/compliance/domain-compliance.ts'
import {
  gatherFacts,
  isSigningKey,
  type GatheringFacts,
} from '../../compliance/compliance-facts.ts'
import { evaluateCompliance } from '../../compliance/evaluate-compliance.ts'
import type { Context } from '../../context.ts'
import { expectedRecords } from '../../domain-records/expected-records.ts'
import { checkRecord } from '../../domain-records/check-record.ts'
import {
  ok,
  problem,
  warning,
  type CheckName,
  type Finding,
  type FindingReason,
} from './finding.ts'

type Asking = GatheringFacts & Pick<Context, 'resolver'>

export async function checkAuthentication(
  ctx: Asking,
  {
    workspaceId,
    fromEmail,
    recipients,
    captures,
  }: { workspaceId: number } & Pick<CampaignRow, 'fromEmail'> & {
      recipients: number
      captures: boolean
    },
): Promise<Finding[]> {
  const name = fromEmail?.slice(fromEmail.lastIndexOf('@') + 1)
  const domain = (await domainsOf(ctx.db, workspaceId)).find((row) => row.name === name)
  // The sender's check reports it already.
  if (!domain) return []
  if (captures) return [ok('authentication', 'authentication_kept_here', { domain: domain.name })]
  const facts = await queryDomain(ctx, { workspaceId, domain })
  const results = evaluateCompliance(facts)
  const isBulk =
    recipients >= bulkMailsMin || facts.volumes.some(({ bulkSince }) => bulkSince !== null)
  return checks.flatMap(({ check, requirements }) => {
    const worst = requirements
      .map((requirement) => results.find((result) => result.requirement === requirement))
      .find((result) => result !== undefined && result.state !== 'met')
    const shown = worst ?? results.find(({ requirement }) => requirement === requirements[0])
    return shown ? findingOf(check, shown, isBulk) : []
  })
}

async function queryDomain(
  ctx: Asking,
  { workspaceId, domain }: { workspaceId: number; domain: DomainRow },
) {
  const { resolve } = ctx.resolver
  const checking = {
    resolve,
    answers: () => Promise.resolve(true),
    baseUrl: ctx.settings.baseUrl,
    inboundDomain: ctx.settings.inboundDomain,
  }
  const expected = expectedRecords(
    domain,
    await domainKeysOf(ctx.db, workspaceId, domain.name),
    ctx.settings,
  )
  const requested = expected.filter((record) => isSigningKey(record) || record.purpose === 'spf')
  const records = await Promise.all(
    requested.map(async (record) => ({ record, checked: await checkRecord(checking, record) })),
  )
  return gatherFacts(ctx, {
    ...{ workspaceId, domain: domain.name, records, resolve },
    isProven: domain.status === 'verified',
  })
}

/**
 * Of two requirements, the first that is not met is shown. The link and the volume have checks of
 * their own, TLS none.
 */
const checks: { check: CheckName; requirements: ComplianceRequirement[] }[] = [
  { check: 'dkim', requirements: ['dkim'] },
  { check: 'spf', requirements: ['spf'] },
  { check: 'dmarc', requirements: ['dmarc', 'alignment'] },
  { check: 'one_click', requirements: ['one_click'] },
  { check: 'reverse_dns', requirements: ['reverse_dns'] },
  { check: 'spam_rate', requirements: ['spam_rate'] },
  { check: 'dmarc_reports', requirements: ['dmarc_reports'] },
  { check: 'sender_domain', requirements: ['sender_domain'] },
]

/** Reasons that another check shows already. */
const shownElsewhere = new Set<ComplianceReason>([
  'base_url_unknown',
  'base_url_private',
  'base_url_without_tls',
])

function findingOf(
  check: CheckName,
  { requirement, state, reason, details }: ComplianceRow,
  isBulk: boolean,
): Finding[] {
  if (state === 'not_applicable' || !isFindingReason(reason)) return []
  if (requirement === 'one_click' && (shownElsewhere.has(reason) || reason === 'not_signed'))
    return []
  if (state === 'met') return [ok(check, reason, details)]
  if (state === 'unknown')
    return [
      reason === 'dns_unanswered' ? warning(check, reason, details) : ok(check, reason, details),
    ]
  return [
    (isProblem({ requirement, reason, details }, isBulk) ? problem : warning)(
      check,
      reason,
      details,
    ),
  ]
}

/** Reasons without a sentence here are those of results that are no findings. */
const isFindingReason = (
  reason: ComplianceReason,
): reason is Extract<ComplianceReason, FindingReason> =>
  !['not_checked', 'kept_here', 'relay_decides', 'below_bulk', 'bulk_not_met'].includes(reason)

function isProblem(
  { requirement, reason, details }: Pick<ComplianceRow, 'requirement' | 'reason' | 'details'>,
  isBulk: boolean,
): boolean {
  // Every signature fails; or receivers do with the mail what the owner asks for.
  if (reason === 'key_not_found') return true
  if (reason === 'dmarc_fails') return details['policy'] !== 'none'
  // The relay may sign, and have its own addresses.
  if (reason === 'not_signed' || reason === 'spf_fails') return false
  return isBulk && mailReceivers.some((receiver) => demands[requirement][receiver] === 'bulk')
}
