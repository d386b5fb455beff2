/** GET /subscribers/{email}: returns the subscriber with an address, or with an identifier. */
import { parseMailbox } from '../../../ground/address.ts'
import { ApiError, existing } from '../../../contract/errors.ts'
import { subscriberByEmail, subscriberById } from '../../../db/audience/subscribers.ts'
import { isId } from '../../../ground/ids.ts'
import type { CallContext } from '../../context.ts'
import { subscriberDetail } from './subscriber-detail.ts'
import type { Verb } from '../../verb.ts'

export const getSubscriber: Verb<'getSubscriber'> = async (ctx, { params }) => {
  const email = await addressInPath(ctx, params.email)
  const row = existing(await subscriberByEmail(ctx.db, ctx.workspaceId, email), {
    email: params.email,
  })
  return { body: await subscriberDetail(ctx, { workspaceId: ctx.workspaceId, row }) }
}

/**
 * The address in its stored form that a path names, also by the identifier of its subscriber. A
 * malformed address is `not_found` (semantics 4: malformed address in a path).
 */
export async function addressInPath(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  text: string,
): Promise<string> {
  if (isId(text))
    return existing(await subscriberById(db, workspaceId, text), { email: text }).email
  const mailbox = parseMailbox(text)
  if ('rule' in mailbox || mailbox.name !== null) throw new ApiError('not_found', { email: text })
  return mailbox.key
}
