/** A campaign's recipients from the first to the last, page by page: a list of a million is never held whole. */
import { recipientsPage } from '../../db/campaigns/campaign-recipients.ts'
import type { RecipientEntry, RecipientFilter } from '../../db/campaigns/campaign-recipients.ts'
import type { Context } from '../context.ts'

const atOnce = 2_000

export async function* eachRecipient(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  { id, filter }: { id: string; filter: RecipientFilter | null },
): AsyncGenerator<RecipientEntry[]> {
  for (let after: string | null = '00000000-0000-0000-0000-000000000000'; after !== null;) {
    const page: { entries: RecipientEntry[]; lookedTo: string | null } = await recipientsPage(
      ctx.db,
      { workspaceId, campaignId: id },
      { after, most: atOnce, filter },
    )
    if (page.entries.length > 0) yield page.entries
    after = page.lookedTo
  }
}
