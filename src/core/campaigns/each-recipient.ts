/**
 * Iterates over a campaign's recipients page by page, so that a list of a million never is in
 * memory at once.
 */
import {
  recipientsPage,
  type RecipientEntry,
  type RecipientFilter,
} from '../../db/campaigns/campaign-recipients.ts'
import type { Context } from '../context.ts'

const atOnce = 2_000

export async function* eachRecipient(
  ctx: Pick<Context, 'db'>,
  { workspaceId, id, filter }: { workspaceId: number; id: string; filter: RecipientFilter | null },
): AsyncGenerator<RecipientEntry[]> {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null;) {
    const page: { entries: RecipientEntry[]; scannedTo: string | null } = await recipientsPage(
      ctx.db,
      { workspaceId, campaignId: id },
      { after, max: atOnce, filter },
    )
    if (page.entries.length > 0) yield page.entries
    after = page.scannedTo
  }
}
