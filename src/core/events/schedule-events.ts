/** Publishes `email.scheduled` for messages that are accepted for a later time. */
import type { AdmissionUnit } from '../../db/sending/admissions.ts'
import type { Database } from '../../database/client/database.ts'
import { subscribedTypesOf } from '../../db/events/events.ts'
import { emailEvents } from './email-events.ts'
import { publishEvents } from './publish-events.ts'

/** Whether a webhook of the workspace receives the event. */
export const announcesSchedule = async (db: Database, workspaceId: number): Promise<boolean> =>
  (await subscribedTypesOf(db, workspaceId)).has('email.scheduled')

/** Call it last in the transaction that admits them: one event for each envelope. */
export async function publishSchedule(
  tx: Database,
  { workspaceId, unit }: { workspaceId: number; unit: Pick<AdmissionUnit, 'messages'> },
): Promise<number> {
  const happenings = unit.messages.flatMap(({ id, scheduledAt, recipients }) =>
    scheduledAt === null
      ? []
      : recipients.map((_recipient, position) => ({
          type: 'email.scheduled' as const,
          target: { messageId: id, position },
          detail: { scheduled_at: scheduledAt },
        })),
  )
  return publishEvents(tx, workspaceId, await emailEvents(tx, workspaceId, happenings))
}
