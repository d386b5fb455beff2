/**
 * Evidence of consent: the question that a contact was asked, the answer, when and from where. Rows
 * are added and never changed.
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ConsentRow {
  id: string
  subscriberId: string
  /** The lower-cased address. */
  email: string
  act: 'asked' | 'confirmed' | 'registered' | 'unsubscribed'
  /** The text that the contact saw; null where we showed none. */
  shown: string | null
  source: ConsentSource
  ip: string | null
  userAgent: string | null
  apiKeyId: string | null
  /** The address of the workspace's user who wrote it. Absent if no user did. */
  person?: string | null
  /** The mail that asked. */
  messageId: string | null
  /** The campaign by which the contact unsubscribed. */
  campaignId: string | null
}

/** The entry point by which a contact subscribed or unsubscribed. */
export type ConsentSource =
  | 'api'
  | 'form'
  | 'import'
  | 'workspace'
  | 'link'
  | 'one-click'
  | 'mailto'
  | 'suppression'

export const insertConsent = (
  tx: Database,
  workspaceId: number,
  consent: ConsentRow,
): Promise<void> => insertConsents(tx, workspaceId, [consent])

export async function insertConsents(
  tx: Database,
  workspaceId: number,
  consents: ConsentRow[],
): Promise<void> {
  await tx.count(sql`
    insert into consent_evidence (workspace_id, id, subscriber_id, api_key_id, message_id, campaign_id, email,
      act, shown, source, ip, user_agent, recorded_by, at)
    select ${workspaceId}, c.*, facteur_now()
    from ${rowList(consents, 'c', {
      uuid: ['id', 'subscriberId', 'apiKeyId', 'messageId', 'campaignId'],
      text: ['email', 'act', 'shown', 'source', 'ip', 'userAgent', 'person'],
    })}`)
}

/** The request for consent, and whether the contact unsubscribed since. */
export interface Asking {
  email: string
  source: ConsentSource
  messageId: string | null
  leftSince: boolean
}

/** Null when this contact never got this request. */
export function askingOf(
  db: Database,
  workspaceId: number,
  { consentId, subscriberId }: { consentId: string; subscriberId: string },
): Promise<Asking | null> {
  return db.row<Asking>(sql`
    select c.email, c.source, c.message_id, exists (
        select
        from consent_evidence l
        where l.workspace_id = ${workspaceId} and l.subscriber_id = ${subscriberId} and l.act = 'unsubscribed'
          and l.at > c.at
      ) as left_since
    from consent_evidence c
    where c.workspace_id = ${workspaceId} and c.id = ${consentId} and c.subscriber_id = ${subscriberId}
      and c.act = 'asked'`)
}
