/**
 * Unsubscribes a subscriber: for the link, the one-click button of mail programs, mail and the API.
 */
import { subscriberByEmail, subscriberById } from '../../db/audience/subscribers.ts'
import type { Context } from '../context.ts'
import { suppressAddress, type InEntryTransaction, type Leaving } from './suppress-address.ts'

/** The subscriber: by identifier, as links name them, or by lower-cased address. */
export type Leaver = { subscriberId: string } | { email: string }

/** The subscriber who unsubscribed. */
export interface UnsubscribedNow {
  subscriberId: string
  email: string
}

/**
 * Suppresses the address with reason `unsubscribe` and updates the subscriber, in one transaction
 * with the evidence and `beside`. `beside` receives null when they had unsubscribed before: then
 * nothing is counted. A repeated call changes nothing. Returns null when there is no such
 * subscriber.
 */
export async function unsubscribeSubscriber(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  {
    workspaceId,
    leaver,
    leaving,
    beside,
  }: { workspaceId: number; leaver: Leaver; leaving: Leaving; beside?: InEntryTransaction },
): Promise<UnsubscribedNow | null> {
  const subscriber =
    'email' in leaver
      ? await subscriberByEmail(ctx.db, workspaceId, leaver.email)
      : await subscriberById(ctx.db, workspaceId, leaver.subscriberId)
  if (!subscriber) return null
  const { id: subscriberId, email } = subscriber
  const entry = { email, reason: 'unsubscribe', sourceId: leaving.campaignId } as const
  await suppressAddress(ctx, { workspaceId, entry, leaving, ...(beside && { beside }) })
  return { subscriberId, email }
}
