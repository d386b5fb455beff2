/** A person leaves: one verb for the link, the one-click button of mail programs and the API. */
import { subscriberByEmail, subscriberById } from '../../db/subscribers/subscribers.ts'
import type { Context } from '../context.ts'
import { suppressAddress } from './suppress-address.ts'
import type { BesideEntry, Leaving } from './suppress-address.ts'

/** Who leaves: by identifier, as links name people, or by lower-cased address. */
export type Leaver = { subscriberId: string } | { email: string }

/** Who left. */
export interface UnsubscribedNow {
  subscriberId: string
  email: string
}

/**
 * Closes the address with reason `unsubscribe` and moves the subscriber, in one transaction with the evidence and with `beside`
 * (whose `moved` is null when they had left before: then nothing is to be counted). Again it does the same and changes nothing.
 * Null when there is no such subscriber.
 */
export async function unsubscribeSubscriber(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  workspaceId: number,
  leaver: Leaver,
  { leaving, beside }: { leaving: Leaving; beside?: BesideEntry },
): Promise<UnsubscribedNow | null> {
  const subscriber =
    'email' in leaver
      ? await subscriberByEmail(ctx.db, workspaceId, leaver.email)
      : await subscriberById(ctx.db, workspaceId, leaver.subscriberId)
  if (!subscriber) return null
  const { id: subscriberId, email } = subscriber
  const entry = { email, reason: 'unsubscribe', sourceId: leaving.campaignId } as const
  await suppressAddress(ctx, workspaceId, entry, { leaving, ...(beside && { beside }) })
  return { subscriberId, email }
}
