/** GET /subscribers/{email}: returns the subscriber with an address. */
import { parseMailbox } from '../../../ground/address.ts'
import { ApiError, existing } from '../../../contract/errors.ts'
import { subscriberByEmail } from '../../../db/audience/subscribers.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import type { Verb } from '../../verb.ts'

export const getSubscriber: Verb<'getSubscriber'> = async (ctx, { params }) => {
  const row = existing(
    await subscriberByEmail(ctx.db, ctx.workspaceId, readPathAddress(params.email)),
    { email: params.email },
  )
  return { body: presentSubscriber(row) }
}

/**
 * Parses an address from a path to its stored form; a malformed address is `not_found` (semantics
 * 4: malformed address in a path).
 */
export function readPathAddress(text: string): string {
  const mailbox = parseMailbox(text)
  if ('rule' in mailbox || mailbox.name !== null) throw new ApiError('not_found', { email: text })
  return mailbox.key
}
