/**
 * GET /domains/{name}/compliance: which requirements of receivers a domain meets, as its last check
 * found, and what to do.
 */
import {
  complianceRequirements,
  demands,
  receiverRules,
  mailReceivers,
  type ComplianceRequirement,
} from '../../contract/compliance.ts'
import { existing } from '../../contract/errors.ts'
import { gmailSpamRateMax } from '../../contract/thresholds.ts'
import type { DomainCompliance } from '../../contract/workspace/compliance.ts'
import { domainCompliance } from '../../db/compliance/domain-compliance.ts'
import { senderVolumes } from '../../db/compliance/sender-volumes.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { postmasterDays, postmasterDomain } from '../../db/postmaster/postmaster-domains.ts'
import { organizationOf } from '../../ground/dns/organization.ts'
import { enrolmentsOf } from '../compliance/enrolments.ts'
import type { Context } from '../context.ts'
import type { Verb } from '../verb.ts'
import { domainOfPath } from './read-domain-name.ts'

export const getDomainCompliance: Verb<'getDomainCompliance'> = async (ctx, { params }) => {
  const name = domainOfPath(params.name)
  return { body: existing(await presentCompliance(ctx, { workspaceId: ctx.workspaceId, name })) }
}

/** Null when the workspace has no such domain. */
export async function presentCompliance(
  ctx: Pick<Context, 'db' | 'settings'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<DomainCompliance | null> {
  const domain = (await domainsOf(ctx.db, workspaceId)).find((row) => row.name === name)
  if (!domain) return null
  const organization = await organizationOf(name)
  const [rows, volumes, gmail, enrolments] = await Promise.all([
    domainCompliance(ctx.db, workspaceId, name),
    // Who has not proven a domain learns nothing of the mail that it sends from elsewhere.
    domain.status === 'verified' ? senderVolumes(ctx.db, organization) : [],
    presentGmail(ctx, { workspaceId, name }),
    enrolmentsOf(ctx, { workspaceId, domain: name }),
  ])
  return {
    ...{ object: 'domain_compliance', name, organization, gmail, enrolments },
    evaluated_at: rows.length === 0 ? null : (domain.checkedAt?.toISOString() ?? null),
    requirements: complianceRequirements.map((requirement) => {
      const row = rows.find((item) => item.requirement === requirement)
      const { state, reason, details, record } = row ?? notChecked
      return {
        ...{ requirement, state, reason, details, record },
        since: row?.since.toISOString() ?? null,
        demanded_by: demandedBy(requirement),
      }
    }),
    receivers: mailReceivers.map((receiver) => {
      const volume = volumes.find((senderVolume) => senderVolume.receiver === receiver)
      return {
        ...{ receiver, ...receiverRules[receiver] },
        bulk_since: volume?.bulkSince ?? null,
        highest: volume ? { day: volume.highestDay, mails: volume.highestMails } : null,
      }
    }),
  }
}

const notChecked = { state: 'unknown', reason: 'not_checked', details: {}, record: null } as const

const demandedBy = (
  requirement: ComplianceRequirement,
): DomainCompliance['requirements'][number]['demanded_by'] =>
  mailReceivers.flatMap((receiver) => {
    const of = demands[requirement][receiver]
    return of === undefined ? [] : [{ receiver, of }]
  })

/** Days of a page, as many as the overview shows. */
const daysShown = 30

async function presentGmail(
  { db }: Pick<Context, 'db'>,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<DomainCompliance['gmail']> {
  const [result, days] = await Promise.all([
    postmasterDomain(db, workspaceId, name),
    postmasterDays(db, workspaceId, { domain: name, days: daysShown }),
  ])
  if (!result) return null
  const { readAt, problem, needsWork, compliant } = result
  return {
    ...{ read_at: readAt.toISOString(), problem, needs_work: needsWork, compliant },
    days: days.map(({ day, spamRate }) => ({ day, spam_rate: spamRate })),
    spam_rate_max: gmailSpamRateMax,
  }
}
