/** GET /senders: all of the workspace, each with the state of its domain. */
import type { AnswerOf } from '../../contract/operations.ts'
import { domainsOf } from '../../db/domains.ts'
import { sendersOf } from '../../db/senders.ts'
import type { CallContext } from '../context.ts'
import { showSender } from './show-sender.ts'

export async function listSenders({
  db,
  workspaceId,
}: Pick<CallContext, 'db' | 'workspaceId'>): Promise<AnswerOf<'listSenders'>> {
  const [senders, domains] = await Promise.all([sendersOf(db, workspaceId), domainsOf(db, workspaceId)])
  const data = senders.map((sender) => showSender(sender, domains))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
