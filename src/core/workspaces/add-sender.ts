/** Registers an address that a workspace writes from; campaigns and confirmations take the default one. */
import type { Mailbox } from '../../contract/address.ts'
import { domainsOf } from '../../db/domains.ts'
import { upsertSender } from '../../db/senders.ts'
import type { SenderRow } from '../../db/senders.ts'
import type { Context } from '../context.ts'

/** Answers the sender, and whether its domain is verified: until then no send from it is accepted. */
export async function addSender(
  ctx: Pick<Context, 'db' | 'makeId'>,
  workspaceId: number,
  input: { name: string | null; mailbox: Mailbox },
): Promise<{ sender: SenderRow; domain: 'verified' | 'pending' | 'absent' }> {
  const { mailbox, name } = input
  const sender = await upsertSender(ctx.db, workspaceId, { id: ctx.makeId(), name, email: mailbox.address })
  const domains = await domainsOf(ctx.db, workspaceId)
  return { sender, domain: domains.find((domain) => domain.name === mailbox.domain)?.status ?? 'absent' }
}
