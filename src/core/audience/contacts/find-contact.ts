/**
 * Finds a contact by a page's address: a subscriber by identifier, or any contact by e-mail
 * address.
 */
import { parseMailbox } from '../../../ground/address.ts'
import { ApiError, existing } from '../../../contract/errors.ts'
import {
  subscriberByEmail,
  subscriberById,
  type SubscriberRow,
} from '../../../db/audience/subscribers.ts'
import { isId } from '../../../ground/ids.ts'
import type { CallContext } from '../../context.ts'

export interface FoundContact {
  /** The lower-cased address. */
  email: string
  subscriber: SubscriberRow | null
}

/**
 * Throws `not_found` for an unknown identifier or a malformed address. An address need not be
 * known.
 */
export async function findContact(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  who: string,
): Promise<FoundContact> {
  if (isId(who)) {
    const subscriber = existing(await subscriberById(db, workspaceId, who), { id: who })
    return { email: subscriber.email, subscriber }
  }
  const mailbox = parseMailbox(who)
  if ('rule' in mailbox || mailbox.name !== null) throw new ApiError('not_found', { email: who })
  return { email: mailbox.key, subscriber: await subscriberByEmail(db, workspaceId, mailbox.key) }
}
