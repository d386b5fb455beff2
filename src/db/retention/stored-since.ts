/**
 * The classes as arguments of `facteur_stored_since(workspace, …)`, for statements that leave out
 * what has expired: so an answer does not depend on when the rows are deleted.
 */
import { retentionClasses } from '../../contract/retention.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'

export const storedSince = {
  captured: fragment`'captured', ${retentionClasses.captured.daysDefault}`,
  deliveryDetails: fragment`'delivery_details', ${retentionClasses.delivery_details.daysDefault}`,
  events: fragment`'events', ${retentionClasses.events.daysDefault}`,
  requests: fragment`'requests', ${retentionClasses.requests.daysDefault}`,
  auditLog: fragment`'audit_log', ${retentionClasses.audit_log.daysDefault}`,
}

/** Rows of the class are stored since this moment, or since ever where nobody has limited them. */
export const storedFrom = (
  workspaceId: number | Fragment,
  name: keyof typeof storedSince,
): Fragment =>
  part`coalesce((select facteur_stored_since(${workspaceId}, ${storedSince[name]})), '-infinity')`

/** The same of identifiers that begin with their moment: the first that has not expired. */
export const idsStoredFrom = (workspaceId: number, name: 'events' | 'requests'): Fragment =>
  part`(select facteur_events_from(facteur_stored_since(${workspaceId}, ${storedSince[name]})))`

/**
 * A moment before which lines of single messages may have expired. Null if nobody has limited them,
 * which costs a look at two small tables.
 */
export const messagesStoredSince = (workspaceId: number): Fragment => part`(
      select facteur_stored_since(${workspaceId}, 'messages', null)
      where exists (select from retention where class = 'messages')
        or exists (select from workspace_retention
          where workspace_id = ${workspaceId} and class = 'messages'))`

/**
 * Of a message `m`: a recipient is not finished, or was finished since that moment. Of older
 * messages, only these are stored.
 */
export const isFinishedSince = (workspaceId: number, since: Fragment): Fragment => part`exists (
      select from recipient u where u.workspace_id = ${workspaceId} and u.message_id = m.id
        and (u.state <> 'settled' or coalesce(u.settled_at, u.sent_at) >= ${since}) offset 0)`

/** Of a message `m`: its line has not expired. */
export const isLineStored = (workspaceId: number): Fragment => {
  const since = part`coalesce(${messagesStoredSince(workspaceId)}, '-infinity')`
  return part`(m.created_at >= ${since} or ${isFinishedSince(workspaceId, since)})`
}
