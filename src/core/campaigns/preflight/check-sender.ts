/** Checks the sender, its domain, and the postal address that the footer must show. */
import { domainsOf } from '../../../db/domains/domains.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { WorkspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { Context } from '../../context.ts'
import { ok, problem, type Finding } from './finding.ts'

export async function checkSender(
  { db }: Pick<Context, 'db'>,
  { workspaceId, fromEmail }: { workspaceId: number } & Pick<CampaignRow, 'fromEmail'>,
): Promise<Finding[]> {
  if (fromEmail === null) return [problem('sender', 'no_sender')]
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1)
  const status =
    (await domainsOf(db, workspaceId)).find(({ name }) => name === domain)?.status ?? 'absent'
  return [
    ok('sender', 'good', { from: fromEmail }),
    status === 'verified'
      ? ok('domain', 'good', { domain })
      : problem('domain', status === 'absent' ? 'domain_absent' : 'domain_pending', { domain }),
  ]
}

/** CAN-SPAM 7704(a)(5) requires it, as do other countries. */
export function checkPostalAddress({ postalAddress }: WorkspaceSettings): Finding {
  return postalAddress === null
    ? problem('postal_address', 'no_postal_address')
    : ok('postal_address', 'good', { address: postalAddress.replaceAll('\n', ', ') })
}
