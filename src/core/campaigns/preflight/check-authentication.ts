/**
 * Checks whether receivers can authenticate the mail: DKIM, SPF and DMARC of its From domain, as DNS has them now.
 *
 * Gmail and Yahoo require SPF, DKIM and a DMARC policy from bulk senders (from about 5,000 mails a day).
 * SPF or DKIM must be aligned with the From domain. Smaller senders need SPF or DKIM.
 * A signature or record that the relay adds is not visible from here.
 */
import { domainsOf, type DomainRow } from '../../../db/domains/domains.ts'
import { domainKeysOf } from '../../../db/domains/domain-keys.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { findDmarc, isAligned } from '../../../dns/dmarc.ts'
import type { Context } from '../../context.ts'
import { expectedRecords, type ExpectedRecord } from '../../domain-records/expected-records.ts'
import { checkRecord } from '../../domain-records/check-record.ts'
import type { CheckedRecord } from '../../domain-records/checked-record.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

const bulkMin = 5_000

type Asking = Pick<Context, 'db' | 'resolver' | 'settings'>

export async function checkAuthentication(
  ctx: Asking,
  {
    workspaceId,
    fromEmail,
    recipients,
    captures,
  }: { workspaceId: number } & Pick<CampaignRow, 'fromEmail'> & { recipients: number; captures: boolean },
): Promise<Finding[]> {
  const name = fromEmail?.slice(fromEmail.lastIndexOf('@') + 1)
  const domain = (await domainsOf(ctx.db, workspaceId)).find((row) => row.name === name)
  // The sender's check reports it already.
  if (!domain) return []
  if (captures) return [ok('authentication', 'authentication_kept_here', { domain: domain.name })]
  const records = expectedRecords(domain, await domainKeysOf(ctx.db, workspaceId, domain.name), ctx.settings)
  const checking = {
    resolve: ctx.resolver.resolve,
    answers: () => Promise.resolve(true),
    baseUrl: ctx.settings.baseUrl,
    inboundDomain: ctx.settings.inboundDomain,
  }
  const firstChecked = async (wanted: (record: ExpectedRecord) => boolean): Promise<CheckedRecord | null> => {
    const record = records.find(wanted)
    return record ? checkRecord(checking, record) : null
  }
  const [dkim, spf] = await Promise.all([
    firstChecked(
      (record) => record.purpose === 'dkim' && record.key.algorithm === 'rsa-sha256' && record.key.state === 'signing',
    ),
    firstChecked(({ purpose }) => purpose === 'spf'),
  ])
  const spfRecord = records.find(({ purpose }) => purpose === 'spf')
  return [
    dkimFinding(domain, dkim),
    spfFinding(domain, spf, spfRecord?.name ?? domain.name),
    await dmarcFinding(ctx, domain, {
      signed: dkim?.status === 'found',
      authorised: spf?.status === 'found' ? (spfRecord?.name ?? null) : null,
      isBulk: recipients >= bulkMin,
    }),
  ]
}

function dkimFinding({ name }: DomainRow, dkim: CheckedRecord | null): Finding {
  if (dkim === null) return warning('dkim', 'not_signed', { domain: name })
  if (dkim.status === 'unanswered') return warning('dkim', 'dns_unanswered', { name })
  return dkim.status === 'found' ? ok('dkim', 'good', { domain: name }) : problem('dkim', 'key_not_found', { domain: name })
}

function spfFinding({ name }: DomainRow, spf: CheckedRecord | null, at: string): Finding {
  if (spf === null) return ok('spf', 'spf_not_known', { domain: name })
  if (spf.status === 'unanswered') return warning('spf', 'dns_unanswered', { name: at })
  return spf.status === 'found'
    ? ok('spf', 'good', { domain: at })
    : warning('spf', 'spf_fails', { domain: at, expected: spf.expected })
}

async function dmarcFinding(
  { resolver }: Asking,
  { name }: DomainRow,
  { signed, authorised, isBulk }: { signed: boolean; authorised: string | null; isBulk: boolean },
): Promise<Finding> {
  const dmarc = await findDmarc(resolver, name)
  if (dmarc.kind === 'failed') return warning('dmarc', 'dns_unanswered', { name: `_dmarc.${name}` })
  if (dmarc.kind !== 'found') return (isBulk ? problem : warning)('dmarc', 'no_dmarc', { domain: name })
  const { policy, organizational } = dmarc
  // Our signature uses the From domain itself, so it is aligned.
  if (signed) return ok('dmarc', 'good', { policy })
  const aligned =
    authorised !== null && (await isAligned(resolver, { identifier: authorised, domain: name, mode: dmarc.spf, organizational }))
  if (aligned) return ok('dmarc', 'good', { policy })
  return (policy === 'none' ? warning : problem)('dmarc', 'dmarc_fails', { domain: name, policy })
}
