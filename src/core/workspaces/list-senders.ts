/** GET /senders: all senders of the workspace, each with the state of its domain. */
import { domainsOf } from '../../db/domains/domains.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { presentSender } from './present-sender.ts'
import type { Verb } from '../verb.ts'

export const listSenders: Verb<'listSenders'> = async ({ db, workspaceId }) => {
  const [senders, domains] = await Promise.all([
    sendersOf(db, workspaceId),
    domainsOf(db, workspaceId),
  ])
  const data = senders.map((sender) => presentSender(sender, domains))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
