/**
 * Gathers the input of a campaign's mail: the draft, its workspace, and the addresses of its links.
 */
import { campaignSource, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../database/client/database.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CampaignSource } from '../../mail/merge/campaign-source.ts'
import type { CampaignToCompile } from '../../mail/merge/compiled-campaign.ts'
import type { Context } from '../context.ts'
import type { HeaderMailbox } from '../../mail/mime/header-lines.ts'
import { readMailboxes } from '../sending/read-email.ts'
import { asSource } from './field-values.ts'

/**
 * A draft without a sender shows this address and cannot be sent (RFC 2606: `invalid` is not a real
 * domain).
 */
const nobody = 'nobody@invalid'

/**
 * The hosts of bounces and links. Absent in previews and tests: bounces go to the sender's address,
 * and links to the base URL.
 */
export interface CampaignHosts {
  returnPathHost: string | null
  baseUrl: string
}

export async function draftToCompile(
  ctx: { db: Database; settings: Pick<Context['settings'], 'baseUrl' | 'language'> },
  {
    workspaceId,
    row,
    returnPathHost = null,
    baseUrl = ctx.settings.baseUrl,
  }: { workspaceId: number; row: CampaignRow } & Partial<CampaignHosts>,
): Promise<CampaignToCompile> {
  const { name, slug, postalAddress, language } = await workspaceSettings(ctx.db, workspaceId)
  return {
    campaignId: row.id,
    workspace: { id: workspaceId, name, slug, postalAddress },
    source: await readSource(ctx.db, workspaceId, row.id),
    subject: row.subject,
    preheader: row.preheader,
    from: { name: row.fromName, address: row.fromEmail ?? nobody },
    replyTo: storedMailboxes(row.replyTo),
    returnPathHost,
    baseUrl,
    language: language ?? ctx.settings.language,
    trackOpens: row.trackOpens,
    trackClicks: row.trackClicks,
  }
}

/** `readCampaign` has read them before they were stored. */
export const storedMailboxes = (replyTo: string[]): HeaderMailbox[] =>
  readMailboxes(replyTo, 'replyTo').map(({ name, address }) => ({ name, address }))

async function readSource(db: Database, workspaceId: number, id: string): Promise<CampaignSource> {
  const result = await campaignSource(db, workspaceId, id)
  if (!result) throw new Error('The campaign is gone')
  return asSource(result.source)
}
