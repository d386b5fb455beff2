/**
 * The classes as arguments of `facteur_stored_since(workspace, …)`, for statements that leave out what has expired: so an answer does
 * not depend on when the rows are deleted.
 */
import { retentionClasses } from '../../contract/retention.ts'
import { fragment } from '../connection/connect.ts'

export const storedSince = {
  captured: fragment`'captured', ${retentionClasses.captured.daysDefault}`,
  deliveryDetails: fragment`'delivery_details', ${retentionClasses.delivery_details.daysDefault}`,
  events: fragment`'events', ${retentionClasses.events.daysDefault}`,
  requests: fragment`'requests', ${retentionClasses.requests.daysDefault}`,
  auditLog: fragment`'audit_log', ${retentionClasses.audit_log.daysDefault}`,
}
